import FoundationEssentials
import OAuth
import Glibc
import Platform
import Testing
import VaultAccess

@testable import VaultStore

@Suite struct VaultConfigurationTests {
    @Test func everyMemberIsRead() throws {
        let configuration = try VaultConfiguration(
            """
            {
              "on_event": "/usr/local/bin/tell\\u00e9",
              "limits": {
                "login.example": {"requests": 10, "seconds": 1.5},
                "127.0.0.1": {"seconds": 60, "requests": 1}
              },
              "defaults": {
                "proxy": "HTTP://Proxy.example:3128/",
                "ca_file": "/etc/ssl/own.pem",
                "client_certificate": "/home/p/c.pem",
                "client_key": "/home/p/c.key",
                "parameters": {"prompt": "consent", "audience": "https://api.example"},
                "refresh_parameters": {"b": "2", "a": ""}
              }
            }
            """
        )
        #expect(configuration.onEvent == "/usr/local/bin/tell\u{e9}")
        #expect(
            configuration.limits == [
                "login.example": .init(requests: 10, seconds: 1.5),
                "127.0.0.1": .init(requests: 1, seconds: 60),
            ]
        )
        let defaults = configuration.defaults
        #expect(defaults.network.proxy?.text == "http://proxy.example:3128")
        #expect(defaults.caFile == "/etc/ssl/own.pem")
        #expect(
            defaults.network.clientCertificate
                == ClientCertificate(certificatePath: "/home/p/c.pem", keyPath: "/home/p/c.key")
        )
        #expect(
            defaults.authorizationParameters == [
                RequestParameter("prompt", "consent"),
                RequestParameter("audience", "https://api.example"),
            ]
        )
        #expect(
            defaults.refreshParameters == [RequestParameter("b", "2"), RequestParameter("a", "")]
        )
        #expect(try VaultConfiguration(" {}\n") == VaultConfiguration())
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let text: String
        let line: Int
        let kind: ConfigurationProblem.Kind

        init(_ text: String, _ line: Int, _ kind: ConfigurationProblem.Kind) {
            (self.text, self.line, self.kind) = (text, line, kind)
        }

        var testDescription: String { "\(text.debugDescription)" }
    }

    private static let host = "a host name in small letters, without a port"
    private static let proxy =
        "http, https, socks5 or socks5h, a host and a port, and no user name"
    private static let name = "another name: this one is the vault's business"
    private static let key = "the key of a client_certificate, which is not there"

    @Test(arguments: [
        Row("", 1, .notJSON), Row("{", 1, .notJSON), Row("{}\n{}", 2, .notJSON),
        Row("{\n\n\"on_event\": /x}", 3, .notJSON), Row("{} // words", 1, .notJSON),
        Row("{\"on_event\":\"/x\",}", 1, .notJSON), Row("{\"a\":\"\u{1}\"}", 1, .notJSON),
        Row("{\"a\":\"\\ud800\"}", 1, .notJSON), Row("{\"a\":01}", 1, .notJSON),
        Row("[]", 1, .unfit("the document", wanted: "an object")),
        Row("null", 1, .unfit("the document", wanted: "an object")),
        Row("{\n \"on_evnt\": \"/x\"\n}", 2, .unknown("on_evnt")),
        Row("{\"on_event\":\"/x\",\n\"on_event\":\"/y\"}", 2, .repeated("on_event")),
        Row("{\n\"on_event\":\n\"x\"}", 3, .unfit("on_event", wanted: "an absolute path")),
        Row("{\"on_event\":\"/a/../b\"}", 1, .unfit("on_event", wanted: "an absolute path")),
        Row("{\"on_event\":null}", 1, .unfit("on_event", wanted: "an absolute path")),
        Row("{\"on_event\":[\"/x\"]}", 1, .unfit("on_event", wanted: "an absolute path")),
        Row("{\"on_event\":\"/x\\u0000\"}", 1, .unfit("on_event", wanted: "an absolute path")),
        Row("{\"limits\":[]}", 1, .unfit("limits", wanted: "an object")),
        Row("{\"limits\":{\n\"A.example\":{}}}", 2, .unfit("limits.A.example", wanted: host)),
        Row("{\"limits\":{\"a.example:1\":{}}}", 1, .unfit("limits.a.example:1", wanted: host)),
        Row("{\"limits\":{\"a/b\":{}}}", 1, .unfit("limits.a/b", wanted: host)),
        Row("{\"limits\":{\"\":{}}}", 1, .unfit("limits.", wanted: host)),
        Row("{\"limits\":{\"a.example\":\n{}}}", 2, .missing("limits.a.example.requests")),
        Row(
            "{\"limits\":{\"a.example\":{\"requests\":1}}}",
            1,
            .missing("limits.a.example.seconds")
        ),
        Row(
            "{\"limits\":{\"a.example\":{\"requests\":1,\"seconds\":1,\n\"burst\":2}}}",
            2,
            .unknown("limits.a.example.burst")
        ),
        Row(
            "{\"limits\":{\"a.example\":{\"requests\":1.5,\"seconds\":1}}}",
            1,
            .unfit("limits.a.example.requests", wanted: "a whole number from 1 to 1000000")
        ),
        Row(
            "{\"limits\":{\"a.example\":{\"requests\":\"1\",\"seconds\":1}}}",
            1,
            .unfit("limits.a.example.requests", wanted: "a whole number from 1 to 1000000")
        ),
        Row(
            "{\"limits\":{\"a.example\":{\"requests\":1,\"seconds\":1e99}}}",
            1,
            .unfit("limits.a.example.seconds", wanted: "a number from 0.001 to 86400.0")
        ),
        Row("{\"defaults\":1}", 1, .unfit("defaults", wanted: "an object")),
        Row("{\"defaults\":{\n\"prxy\":\"\"}}", 2, .unknown("defaults.prxy")),
        Row(
            "{\"defaults\":{\"proxy\":\n\"http://u:w@p.example:1\"}}",
            2,
            .unfit("defaults.proxy", wanted: proxy)
        ),
        Row("{\"defaults\":{\"proxy\":\"p:1\"}}", 1, .unfit("defaults.proxy", wanted: proxy)),
        Row(
            "{\"defaults\":{\"ca_file\":\"ca.pem\"}}",
            1,
            .unfit("defaults.ca_file", wanted: "an absolute path")
        ),
        Row(
            "{\"defaults\":{\"client_key\":\"/k\"}}",
            1,
            .unfit("defaults.client_key", wanted: key)
        ),
        Row(
            "{\"defaults\":{\"parameters\":{\n\"state\":\"x\"}}}",
            2,
            .unfit("defaults.parameters.state", wanted: name)
        ),
        Row(
            "{\"defaults\":{\"refresh_parameters\":{\"client_secret\":\"x\"}}}",
            1,
            .unfit("defaults.refresh_parameters.client_secret", wanted: name)
        ),
        Row(
            "{\"defaults\":{\"parameters\":{\"a\":1}}}",
            1,
            .unfit("defaults.parameters.a", wanted: "a text")
        ),
    ])
    func oneFaultIsTheEnd(row: Row) throws {
        let expected = ConfigurationProblem(line: row.line, row.kind)
        #expect(throws: expected) { try VaultConfiguration(row.text) }
    }

    @Test func deepAndForeignTextIsRefused() {
        let deep = String(repeating: "[", count: 100_000)
        #expect(throws: ConfigurationProblem(line: 1, .notJSON)) { try VaultConfiguration(deep) }
        #expect(throws: ConfigurationProblem(line: 1, .notUTF8)) {
            try VaultConfiguration(Array("{\"a\":\"".utf8) + [0xff] + Array("\"}".utf8))
        }
    }

    // MARK: - The file

    @Test func aVaultWithoutOneHasDecidedNothing() throws {
        try withLocation { location in
            let configuration = try VaultConfiguration.read(location)
            #expect(configuration == VaultConfiguration())
        }
    }

    @Test func itsFileIsTheOwnersAlone() throws {
        try withLocation { location in
            try write("{}", to: location.configuration)
            #expect(try VaultConfiguration.read(location) == VaultConfiguration())
            chmod(location.configuration, 0o644)
            #expect(throws: PermissionProblem.self) { try VaultConfiguration.read(location) }
            try FileSystem.remove(location.configuration)
            symlink("/etc/hostname", location.configuration)
            #expect(throws: PermissionProblem.self) { try VaultConfiguration.read(location) }
        }
    }

    @Test func anErrorNamesFileLineAndMember() throws {
        try withLocation { location in
            try write("{\n\"on_evnt\": 1}", to: location.configuration)
            do {
                _ = try VaultConfiguration.read(location)
                Issue.record("it was taken")
            } catch let error as VaultError {
                #expect(error.code == .invalidInput)
                #expect(
                    error.facts == [
                        .path: location.configuration, .line: "2", .reason: "configuration",
                        .found: "unknown_member", .field: "on_evnt",
                    ]
                )
            }
        }
    }

    @Test func theProgramIsOneThatNobodyElseCanChange() throws {
        try withLocation { location in
            let program = "\(location.directory)/hook"
            try write("{\n\n\"on_event\": \"\(program)\"}", to: location.configuration)
            #expect(throws: VaultError.self) { try VaultConfiguration.read(location) }
            try write("#!/bin/sh\n", to: program)
            // Not one that can be run.
            #expect(throws: VaultError.self) { try VaultConfiguration.read(location) }
            chmod(program, 0o755)
            #expect(try VaultConfiguration.read(location).onEvent == program)
            chmod(program, 0o775)
            #expect(throws: PermissionProblem.self) { try VaultConfiguration.read(location) }
            chmod(program, 0o755)
            chmod(location.directory, 0o777)
            #expect(throws: PermissionProblem.self) { try VaultConfiguration.read(location) }
            chmod(location.directory, 0o700)
        }
    }

    private func write(_ text: String, to path: String) throws {
        try FileSystem.writeNew(path, Array(text.utf8).span)
    }

    private func withLocation(_ body: (VaultLocation) throws -> Void) throws {
        try inTemporaryFolder { try body(VaultLocation(directory: $0)) }
    }
}

extension VaultConfiguration {
    fileprivate init(_ text: String) throws(ConfigurationProblem) {
        try self.init(Array(text.utf8))
    }
}
