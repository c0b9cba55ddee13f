import Glibc
import Testing

extension EndToEndTests {
    /// Rows F-40, and 1 to 3 of the security cases: what is no name is refused at every door, and
    /// nothing is looked up, sent or stored for it.
    @Suite struct IdentifierTests {
        private static let noNames = [
            "", ".", "..", "../work", "work/../work", "a b", "work\n", "work\r", "\u{2028}work",
            "wo\u{0}rk", "wo\u{202e}rk", "w\u{f6}rk", "-x", "--work", "\u{1b}[2J", "work%0a", "@",
            String(repeating: "a", count: 129), String(repeating: "a", count: 100_000),
        ]

        private func withAgent(_ body: (_ stage: Stage, _ server: TestServer) throws -> Void) throws
        {
            try withStage { stage in
                let server = try stage.startServer()
                try stage.initialize()
                try stage.add("work", from: server)
                let before = try accounts(stage)
                try body(stage, server)
                #expect(try accounts(stage) == before)
                #expect(try server.statistics().tokenRequests == 0)
            }
        }

        private func accounts(_ stage: Stage) throws -> JSON? {
            try JSON(stage.vault("list", "--json").out)["accounts"]
        }

        @Test func atTheCommandLine() throws {
            try withAgent { stage, server in
                // An argument cannot hold a zero byte.
                for name in Self.noNames where !name.contains("\0") {
                    for verb in ["token", "refresh", "remove", "switch", "add", "login"] {
                        let ended = try stage.vault(verb, "--", name)
                        #expect(ended.code == 2 && ended.stdout.isEmpty, "\(verb) \(name.count)")
                        // Whatever is in it, it is one line, and plain.
                        #expect(ended.errorLines.count == 1)
                        let isPlain = ended.stderr.allSatisfy { $0 == 0x0a || $0 >= 0x20 }
                        #expect(isPlain && !ended.err.contains("\u{202e}"), "\(ended)")
                    }
                }
            }
        }

        @Test func onTheAgentsSocket() throws {
            try withAgent { stage, server in
                for name in Self.noNames where name.utf8.count < 5000 {
                    let escaped = name.utf8.map { byte in
                        "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
                    }.joined()
                    let base = "http://localhost/v1/accounts/\(escaped)"
                    for (method, url) in [
                        ("GET", "\(base)/token"), ("POST", "\(base)/refresh"), ("DELETE", base),
                    ] {
                        let status = try status(stage, method, url)
                        #expect(
                            ["400", "404", "405"].contains(status),
                            "\(method) \(escaped): \(status)"
                        )
                    }
                }
                let names = ["", "a b", "work\\n", "../x", "\\u0000", "\\u2028x", "wo\\u202erk"]
                for name in names {
                    #expect(try add(name, stage, server) == "400", "\(name)")
                }
                // The same document with a name.
                #expect(try add("other", stage, server).hasPrefix("20"))
                #expect(try stage.vault("remove", "other").code == 0)
            }
        }

        private func add(_ name: String, _ stage: Stage, _ server: TestServer) throws -> String {
            let response = try server.issue().replacing("\"", with: "\\\"")
            let body = """
                {"name":"\(name)","tokenEndpoint":"\(server.address.tokenEndpoint)",\
                "clientID":"test-public","clientAuthentication":"none","scope":[],\
                "tokenResponse":"\(response)"}
                """
            return try status(stage, "POST", "http://localhost/v1/accounts", body)
        }

        private func status(
            _ stage: Stage,
            _ method: String,
            _ url: String,
            _ body: String = ""
        ) throws -> String {
            let words = [
                "-s", "-o", "/dev/null", "-w", "%{http_code}", "--max-time", "10", "--path-as-is",
                "-X", method, "--unix-socket", stage.socket, "-H", "Content-Type: application/json",
                "--data-binary", "@-", url,
            ]
            return try stage.system("curl", words, input: body).word
        }
    }
}
