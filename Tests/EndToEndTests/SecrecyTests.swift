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
                    client,
                    "--device-interval",
                    "1"
                )
                let trace = try Self.startTrace(stage)
                try CommandTour.makeVault(stage)
                var search = LeakSearch(for: try Self.canaries(stage, server))
                var live: Set<Leak> = []
                let tour = CommandTour(stage: stage, server: server, client: client) {
                    live.formUnion(try search.processes(of: stage))
                }
                try tour.run()
                #expect(live.isEmpty, "\(live)")
                #expect(try CommandList(stage).missing(in: stage.history) == [])
                try addRecoveryKeys(of: stage, to: &search)
                try expectOneRecoveryKey(on: tour.terminals, &search)
                if let trace {
                    let calls = try trace.calls()
                    addVerifiers(in: calls, to: &search)
                    let called = Set(search.leaks(in: calls, of: stage))
                    #expect(called.isEmpty, "\(called)")
                    try expectNothing(ofTheBrowser: stage, search)
                    expectOnlySQLiteOpensTheDatabase(stage, calls)
                }
                let leaks = try search.output(of: stage.history) + search.files(of: stage)
                #expect(leaks.isEmpty, "\(leaks)")
                try expectSealed(stage, [client, server.issuer, "127.0.0.1", CommandTour.tag])
            }
        }

        /// Not even its parent may look into one of our programs, unless that is root's.
        private static func startTrace(_ stage: Stage) throws -> SystemCallTrace? {
            guard NotRun.isRoot else {
                try NotRun.needsRoot("a trace of all that the programs write and start")
                try NotRun.needsRoot("a search of the running agent's environment for secrets")
                try NotRun.needsRoot("a program in the place of the browser's opener")
                return nil
            }
            let trace = SystemCallTrace(in: "\(stage.notes)trace")
            stage.wrapper = try trace.command()
            return trace
        }

        /// What the tour's secrets are, as far as they are known at its start.
        private static func canaries(_ stage: Stage, _ server: TestServer) throws -> [Canary] {
            let secret = server.address.confidentialClientSecret
            #expect(secret.hasPrefix(CommandTour.prefix))
            let keyFile = try stage.keyFile()
            return [
                Canary("access token", "\(CommandTour.prefix)-at"),
                Canary("refresh token", "\(CommandTour.prefix)-rt"),
                Canary("client secret", secret),
                Canary("token, code or secret", CommandTour.prefix),
                Canary("key file", bytes: try Files.read(keyFile), livesIn: keyFile),
                TourSecrets.canary,
            ]
        }

        /// Each is shown by the one command that makes it.
        private func addRecoveryKeys(of stage: Stage, to search: inout LeakSearch) throws {
            let keys = TourSecrets.recoveryKeys(in: stage.history)
            #expect(keys.count == 3 && Set(keys).count == 3)
            for key in keys {
                let shown = stage.history.filter { $0.out.contains(key) || $0.err.contains(key) }
                #expect(shown.count == 1)
                for canary in TourSecrets.canaries(ofRecoveryKey: key) { search.add(canary) }
            }
        }

        /// Of all that is typed and shown at a terminal, this alone can be read on it.
        private func expectOneRecoveryKey(
            on terminals: CommandTour.Terminals,
            _ search: inout LeakSearch
        ) throws {
            let shown = terminals.texts.joined()
            let lines = shown.split(separator: "\n").filter { $0.hasPrefix("    ") }
            #expect(lines.count == 1 && shown.contains("Passphrase of the vault: "))
            let text = Array(shown.utf8)
            #expect(search.leaks(.standardOutput, text, at: "terminal").isEmpty)
            let recoveryKey = try #require(lines.first.map { String($0.dropFirst(4)) })
            #expect(recoveryKey.count == 67)
            TourSecrets.canaries(ofRecoveryKey: recoveryKey).forEach { search.add($0) }
        }

        /// The agent makes the verifiers of PKCE, and shows them to nobody but the server.
        private func addVerifiers(in calls: [SystemCall], to search: inout LeakSearch) {
            let sent = calls.filter { $0.target.hasPrefix("TCP") }.map {
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

        /// Row F-18: a descriptor of anybody else would take SQLite's locks with it when it is closed.
        private func expectOnlySQLiteOpensTheDatabase(_ stage: Stage, _ calls: [SystemCall]) {
            let openings = calls.compactMap(\.opening).filter {
                $0.contains("\"\(stage.database)\"")
            }
            #expect(openings.count > 10)
            // Nobody else opens it with these; who reads it by hand opens it for reading alone.
            let flags = "O_RDWR|O_NOFOLLOW|O_CLOEXEC"
            let others = openings.filter { !$0.contains(flags) }
            #expect(others.isEmpty, "\(others.prefix(3))")
        }

        private func expectNothing(ofTheBrowser stage: Stage, _ search: LeakSearch) throws {
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
