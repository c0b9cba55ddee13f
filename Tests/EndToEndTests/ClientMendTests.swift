import Glibc
import Testing

extension EndToEndTests {
    /// A client whose secret is wrong, and the one command that mends it.
    @Suite struct ClientMendTests {
        private static let names = ["a", "b", "c"]
        private static let wrong = "CANARYw9-wrong"

        private func add(
            _ name: String,
            to stage: Stage,
            _ server: TestServer,
            expiresIn: Int
        ) throws {
            let client = server.address.confidentialClientID
            let added = try stage.vault(
                [
                    "add", name, "--token-endpoint", server.address.tokenEndpoint,
                    "--client-id", client, "--client-secret-fd", "9",
                ],
                input: Stage.replacing(expiresIn, in: server.issue(subject: name, client: client)),
                descriptors: [9: Self.wrong]
            )
            guard added.code == 0 else { throw HarnessError("add failed: \(added)") }
        }

        private func client(_ stage: Stage) throws -> JSON? {
            try JSON(stage.vault("client", "list", "--json").word)["clients"]?[0]
        }

        @Test func cliB06AWrongSecretIsShownAndMendedInAllItsAccountsAtOnce() throws {
            try withStage { stage in
                let server = try stage.startServer()
                let id = server.address.confidentialClientID
                try stage.initialize()
                for name in Self.names { try add(name, to: stage, server, expiresIn: 8) }
                // The agent finds out by itself, ahead of expiry.
                let isOpen = try poll(seconds: 20, every: 200) {
                    try client(stage)?["since"]?.time != nil
                }
                #expect(isOpen)
                let refused = try client(stage)
                #expect(refused?["id"] == .string(id) && refused?["accounts"] == .number(3))
                #expect(refused?["state"] == .string("refused"))
                #expect(refused?["nextTryAt"]?.time != nil)
                let table = try stage.vault("client", "list").out
                #expect(table.contains("refused since") && table.contains(id))
                let status = try JSON(stage.vault("status", "--json").word)["accounts"]?.items
                #expect(
                    status?.compactMap { $0["state"] }
                        == Self.names.map { _ in .string("client_refused") }
                )
                let doctor = try stage.vault("doctor")
                #expect(doctor.code == 1 && doctor.out.contains("vault client set"))
                // Until all three are over.
                let isOver = try poll(seconds: 20, every: 200) {
                    try Self.names.allSatisfy { try stage.vault("token", $0).code == 1 }
                }
                #expect(isOver)
                let requests = try server.statistics().tokenRequests
                #expect(requests == 3)

                let set = try stage.vault(
                    ["client", "set", id, "--client-secret-fd", "9"],
                    descriptors: [9: server.address.confidentialClientSecret + "\n"]
                )
                #expect(set.code == 0 && set.stdout.isEmpty, "\(set)")
                #expect(set.err.contains("in 3 accounts"))
                for name in Self.names {
                    let token = try stage.vault("token", name)
                    #expect(token.code == 0 && token.stderr.isEmpty, "\(token)")
                    #expect(try server.present(token.word) == "200")
                }
                #expect(try server.statistics().refreshes == 3)
                #expect(try client(stage)?["state"] == .string("ok"))
                try expectNoSecret(stage, server)
            }
        }

        @Test func whatIsUnknownOrUnclearIsSaidAndChangesNothing() throws {
            try withStage { stage in
                let (one, two) = (try stage.startServer(), try stage.startServer())
                let id = one.address.confidentialClientID
                let secret = one.address.confidentialClientSecret
                try stage.initialize()
                try add("a", to: stage, one, expiresIn: 3600)
                try add("b", to: stage, two, expiresIn: 3600)
                func set(_ words: String...) throws -> Ended {
                    try stage.vault(
                        ["client", "set"] + words + ["--client-secret-fd", "9"],
                        descriptors: [9: secret]
                    )
                }
                let unknown = try set(String(id.dropLast()))
                #expect(unknown.code == 1 && unknown.errorLines.count == 1, "\(unknown)")
                #expect(unknown.err.contains("vault: hint: did you mean '\(id)'?"))
                let unclear = try set(id)
                #expect(unclear.code == 1 && unclear.errorLines.count == 1, "\(unclear)")
                #expect(unclear.err.contains(one.address.tokenEndpoint))
                #expect(unclear.err.contains(two.address.tokenEndpoint))
                #expect(unclear.err.contains("vault: hint: --token-endpoint URL"))
                #expect(try stage.vault("refresh", "a").code == 1)
                let clear = try set(id, "--token-endpoint", one.address.tokenEndpoint)
                #expect(clear.code == 0 && clear.err.contains("in 1 account\n"), "\(clear)")
                #expect(try stage.vault("refresh", "a").code == 0)
                #expect(try stage.vault("refresh", "b").code == 1)
                try expectNoSecret(stage, one)
            }
        }

        private func expectNoSecret(_ stage: Stage, _ server: TestServer) throws {
            let search = LeakSearch(for: [
                Canary("client secret", server.address.confidentialClientSecret),
                Canary("wrong client secret", Self.wrong),
            ])
            let leaks =
                try search.output(of: stage.history) + search.files(of: stage)
                + search.processes(of: stage)
            #expect(leaks.isEmpty, "\(leaks)")
            for ended in stage.history {
                #expect(ended.command.allSatisfy { !$0.contains(Self.wrong) })
            }
        }
    }
}
