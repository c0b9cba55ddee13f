import OAuth
import Testing
import VaultAgentClient

@testable import VaultCommandLine

/// What `vault add` takes for the refreshes of an account.
@Suite struct RefreshArgumentsTests {
    private static let addition = "add a --token-endpoint https://as.example/token --client-id c "

    private func read(_ words: String...) throws -> RefreshArguments {
        var arguments = ArgumentReader(words)
        let refresh = try RefreshArguments(&arguments)
        try arguments.finish()
        return refresh
    }

    @Test(
        "reads vault add",
        arguments: [
            ParsingRow("add a --provider github --client-id c"),
            ParsingRow("add a --provider fastmail --client-id c --client-secret-fd 3"),
            ParsingRow(addition + "--provider salesforce"),
            ParsingRow("add a --provider shopify --provider-param shop=acme --client-id c"),
            ParsingRow(addition + "--revocation-endpoint https://as.example/revoke"),
            ParsingRow(addition + "--rotation none"), ParsingRow(addition + "--rotation overlap"),
            ParsingRow(addition + "--rotation grace:30"),
            ParsingRow(addition + "--rotation strict"),
            ParsingRow(addition + "--rotation unknown"),
            ParsingRow(addition + "--send-scope --scope mail"),
            ParsingRow(addition + "--refresh-parameter a=1 --refresh-parameter b="),
            ParsingRow(addition + "--refresh-parameter a=b=c"),
            ParsingRow(addition + "--refresh-param a=b=c --refresh-parameter b=c"),
            ParsingRow(addition + "--refresh-endpoint https://as.example/refresh"),
        ]
    )
    func reads(row: ParsingRow) {
        #expect(throws: Never.self) { try row.command() }
    }

    @Test(
        "refuses",
        arguments: [
            ParsingRow("add a --client-id c", .missing("--token-endpoint URL")),
            ParsingRow(
                addition + "--revocation-endpoint http://as.example",
                .malformed(
                    "--revocation-endpoint",
                    value: "http://as.example",
                    wanted: "https (http is for this machine alone)"
                )
            ),
            ParsingRow(
                addition + "--provider-param shop=acme",
                .missing("--provider PROVIDER")
            ),
            ParsingRow(addition + "--send-scope", .missing("--scope S")),
            ParsingRow(
                addition + "--refresh-endpoint http://as.example",
                .malformed(
                    "--refresh-endpoint",
                    value: "http://as.example",
                    wanted: "https (http is for this machine alone)"
                )
            ),
            ParsingRow(
                addition + "--refresh-parameter a=1 --refresh-parameter a=2",
                .repeatedOption("--refresh-param a=")
            ),
        ]
    )
    func refuses(row: ParsingRow) {
        let error = #expect(throws: UsageError.self) { try row.command() }
        #expect(error == row.error)
    }

    @Test(
        "refuses other kinds of rotation",
        arguments: ["", "grace", "grace:", "grace:0", "grace:-1", "grace:90000", "Strict", "nan"]
    )
    func rotation(text: String) {
        let wanted = "none, overlap, grace:SECONDS, strict or unknown"
        #expect(throws: UsageError.malformed("--rotation", value: text, wanted: wanted)) {
            try read("--rotation=\(text)")
        }
    }

    @Test(
        "takes no secret on the command line",
        arguments: [
            "client_secret", "Client_Secret", "refresh_token", "password", "user_password",
            "access_token", "client_assertion", "code", "client_id", "app_secret",
        ]
    )
    func secrets(name: String) throws {
        let error = try #require(throws: UsageError.self) {
            try read("--refresh-parameter", "\(name)=canary")
        }
        let report = ErrorReport(error, helpPage: "add")
        #expect(report.line.contains(name) && !report.line.contains("canary"))
        #expect(report.hint == "vault help add")
    }

    @Test("quotes no value that has lost its name", arguments: ["canary", "=canary", ""])
    func nameless(text: String) throws {
        let error = try #require(throws: UsageError.self) {
            try read("--refresh-parameter=\(text)")
        }
        #expect(!ErrorReport(error).line.contains("canary"))
    }

    @Test func whatNobodyToldIsLeftOut() throws {
        #expect(try read().document(provider: nil) == nil)
        let provider = try #require(try read().document(provider: "figma"))
        #expect(
            try WireJSON.encode(provider) == Array(#"{"provider":"figma"}"#.utf8)
        )
        let all = try read(
            "--rotation=grace:2.5",
            "--send-scope",
            "--refresh-endpoint=https://as.example/r",
            "--refresh-parameter=b=2=",
            "--refresh-parameter=a=1"
        )
        #expect(
            try String(
                decoding: WireJSON.encode(#require(all.document(provider: nil))),
                as: UTF8.self
            )
                == #"{"endpoint":"https://as.example/r","parameters":[{"name":"b","value":"2="},"#
                + #"{"name":"a","value":"1"}],"rotation":"grace:2.5","sendsScope":true}"#
        )
    }
}
