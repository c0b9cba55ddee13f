import Glibc
import Testing

extension EndToEndTests {
    /// Whatever is done: no token and no secret shows up anywhere but where it was asked for.
    @Suite struct SecrecyTests {
        @Test func nothingSecretIsWrittenDownOrSaid() throws {
            try withStage { stage in
                let client = "client-\(UInt64.random(in: .min ... .max))"
                let server = try stage.startServer(
                    "--token-prefix",
                    CommandTour.prefix,
                    "--client",
                    client
                )
                let trace = SystemCallTrace(in: "\(stage.notes)trace")
                stage.wrapper = try trace.command()
                try stage.initialize()
                var search = LeakSearch(for: try Self.canaries(stage, server))
                var live: Set<Leak> = []
                let tour = CommandTour(stage: stage, server: server, client: client) {
                    live.formUnion(try search.processes(of: stage))
                }
                try tour.run()
                #expect(try CommandList(stage).missing(in: stage.history) == [])
                try addVerifiers(of: trace, to: &search)
                if !NotRun.isRoot {
                    try NotRun.needsRoot("a search of the running agent's environment for secrets")
                }
                #expect(live.isEmpty, "\(live)")
                try expectNothing(ofTheBrowser: stage, search)
                let leaks = try search.output(of: stage.history) + search.files(of: stage)
                #expect(leaks.isEmpty, "\(leaks)")
                let called = try Set(search.trace(trace, of: stage))
                #expect(called.isEmpty, "\(called)")
                try expectSealed(stage, [client, server.issuer, "127.0.0.1"])
            }
        }

        /// What the tour's secrets are, as far as they are known at its start.
        private static func canaries(_ stage: Stage, _ server: TestServer) throws -> [Canary] {
            let secret = server.address.confidentialClientSecret
            #expect(secret.hasPrefix(CommandTour.prefix))
            let keyFile = try stage.keyFile()
            return [
                Canary("access token", "\(CommandTour.prefix)-at"),
                Canary("refresh token", "\(CommandTour.prefix)-rt"),
                Canary("authorization code", "\(CommandTour.prefix)-code"),
                Canary("client secret", secret),
                Canary("token, code or secret", CommandTour.prefix),
                Canary("key file", bytes: try Files.read(keyFile), livesIn: keyFile),
            ]
        }

        /// The agent makes the verifiers of PKCE, and shows them to nobody but the server.
        private func addVerifiers(of trace: SystemCallTrace, to search: inout LeakSearch) throws {
            let sent = try trace.calls().filter { $0.target.hasPrefix("TCP") }.map {
                String(decoding: $0.bytes, as: UTF8.self)
            }
            let verifiers = sent.compactMap { request -> String? in
                guard let start = request.firstRange(of: "code_verifier=") else { return nil }
                let verifier = request[start.upperBound...].prefix {
                    $0.isLetter || $0.isNumber
                        || "-._~".contains($0)
                }
                return String(verifier)
            }
            #expect(verifiers.count >= 3 && verifiers.allSatisfy { $0.count >= 43 })
            for verifier in verifiers { search.add(Canary("code verifier", verifier)) }
        }

        private func expectNothing(ofTheBrowser stage: Stage, _ search: LeakSearch) throws {
            guard NotRun.isRoot else {
                return try NotRun.needsRoot("a program in the place of the browser's opener")
            }
            let browser = try Browser(stage)
            #expect(try browser.wasOpened())
            #expect(try browser.leaks(search).isEmpty)
        }

        private func expectSealed(_ stage: Stage, _ texts: [String]) throws {
            let names = try Files.names(in: stage.vaultHome).filter { $0.hasPrefix("vault.") }
            #expect(names.contains("vault.db-journal"))
            let search = LeakSearch(for: texts.map { Canary($0, $0) })
            for name in names {
                let path = "\(stage.vaultHome)/\(name)"
                let leaks = try search.leaks(.file, Files.read(path), at: path)
                #expect(leaks.isEmpty, "\(leaks)")
            }
        }
    }
}
