import OAuth
import Testing
import VaultAgentClient
import VaultKit

@testable import VaultCommandLine

/// What `vault login` and `vault add` take for an account's connections.
@Suite struct NetworkArgumentsTests {
    private static let login = "login a --issuer https://as.example --client-id c "
    private static let addition = "add a --token-endpoint https://as.example/t --client-id c "

    @Test(
        "reads",
        arguments: [login, addition].flatMap { command in
            [
                "--proxy http://proxy.example:3128", "--proxy socks5h://127.0.0.1:1080",
                "--proxy none", "--ca-file /etc/ssl/own.pem", "--ca-file none",
                "--client-cert /c.pem", "--client-cert /c.pem --client-key /c.key",
                "--client-cert none", "--param audience=x --param prompt=consent",
                "--param a=", "--refresh-param a=b",
            ].map { ParsingRow(command + $0) }
        }
    )
    func reads(row: ParsingRow) {
        #expect(throws: Never.self) { try row.command() }
    }

    @Test(
        "refuses",
        arguments: [
            ParsingRow(
                login + "--proxy proxy.example:3128",
                .malformed(
                    "--proxy",
                    value: "proxy.example:3128",
                    wanted: "an address that begins with http, https, socks5 or socks5h"
                )
            ),
            ParsingRow(
                login + "--proxy http://proxy.example",
                .malformed(
                    "--proxy",
                    value: "http://proxy.example",
                    wanted: "an address with a port"
                )
            ),
            ParsingRow(
                login + "--ca-file own.pem",
                .malformed("--ca-file", value: "own.pem", wanted: "an absolute path")
            ),
            ParsingRow(
                login + "--client-cert ../c.pem",
                .malformed("--client-cert", value: "../c.pem", wanted: "an absolute path")
            ),
            ParsingRow(login + "--client-key /c.key", .missing("--client-cert PATH")),
            ParsingRow(login + "--param audience", .missing("NAME= in the value of --param")),
            ParsingRow(login + "--param a=1 --param a=2", .repeatedOption("--param a=")),
        ]
    )
    func refuses(row: ParsingRow) {
        let error = #expect(throws: UsageError.self) { try row.command() }
        #expect(error == row.error)
    }

    @Test(
        "what the protocol decides, and secrets, are no parameters",
        arguments: ["redirect_uri", "state", "response_type", "client_secret", "code_challenge"]
    )
    func parameters(name: String) throws {
        let error = try #require(throws: UsageError.self) {
            try ParsingRow(Self.login + "--param \(name)=canary").command()
        }
        let report = ErrorReport(error, helpPage: "login")
        #expect(report.line.contains(name) && !report.line.contains("canary"))
    }

    @Test func aProxysPasswordIsNotRepeated() throws {
        let error = try #require(throws: UsageError.self) {
            try ParsingRow(Self.login + "--proxy http://user:canary@proxy.example:1").command()
        }
        let report = ErrorReport(error)
        #expect(!report.line.contains("canary") && report.line.contains("without a user name"))
    }

    @Test func whatNobodyToldIsLeftOut() throws {
        var none = ArgumentReader([])
        #expect(try NetworkArguments(&none).document() == nil)
        var some = ArgumentReader(["--proxy=HTTP://Proxy.example:1/", "--ca-file=none"])
        let document = try #require(try NetworkArguments(&some).document())
        #expect(
            try WireJSON.encode(document)
                == Array(
                    #"{"certificateAuthorities":"none","proxy":"http://proxy.example:1"}"#.utf8
                )
        )
    }

    @Test(
        "says why a server was not reached",
        arguments: [
            ("certificate_untrusted", "nobody who is trusted signed its certificate"),
            ("certificate_of_another_host", "its certificate is of another host"),
            ("certificate_expired", "its certificate is not valid now"),
            ("proxy_failed", "the proxy does not answer, or refuses"),
            ("client_certificate_unusable", "the client's certificate or key cannot be used"),
        ]
    )
    func words(reason: String, words: String) {
        let error = VaultError(.unreachable, facts: [.host: "as.example", .reason: reason])
        let report = ErrorReport(error)
        #expect(report.line == "as.example was not reached: \(words)")
    }

    @Test(
        "opens nothing that a shell would read",
        arguments: [
            ("http://127.0.0.1:7/start-a_B-9", true), ("http://[::1]:7/start-x", true),
            ("https://as.example/?x=$(id)", false), ("https://x/\"&calc&\"", false),
            ("file:///etc/passwd", false), ("smb://host/share", false), ("-version", false),
            ("http://127.0.0.1/;id", false), ("http://127.0.0.1/`id`", false), ("", false),
            ("http://127.0.0.1/ x", false), ("http://127.0.0.1/é", false),
        ]
    )
    func plain(address: String, isPlain: Bool) {
        #expect(BrowserLauncher.isPlain(address) == isPlain)
    }
}
