import Glibc
import Testing

extension EndToEndTests {
    /// Renewal in the background: ahead of expiry, and with nobody asking.
    @Suite struct RenewalTests {
        @Test func tokensAreRenewedAheadOfExpiryWithoutAnyLookup() throws {
            try withStage { stage in
                let server = try stage.startServer("--lifetime", "4")
                try stage.initialize()
                let names = ["work", "home"]
                for name in names { try stage.add(name, from: server) }
                // Ten seconds in which the ledger is looked at and nothing is asked of the vault.
                var moments: [String: [ContinuousClock.Instant]] = [:]
                let start = ContinuousClock.now
                while ContinuousClock.now < start + .seconds(10) {
                    for (name, count) in try server.statistics().perSubject
                    where count > moments[name, default: []].count {
                        moments[name, default: []].append(.now)
                    }
                    usleep(50_000)
                }
                for name in names {
                    // The first one was given before the start; each next one before its end.
                    let found = [start] + moments[name, default: []]
                    let gaps = zip(found, found.dropFirst()).map { $0.duration(to: $1) }
                    #expect(gaps.count >= 2 && gaps.allSatisfy { $0 < .seconds(4) }, "\(gaps)")
                }
                let counted = try server.statistics()
                #expect(counted.reuseDetections == 0)
                #expect(try lookupAddsNothing(stage, server))
            }
        }

        /// Whether a lookup was served from the file; a renewal that is due just then is no answer.
        private func lookupAddsNothing(_ stage: Stage, _ server: TestServer) throws -> Bool {
            for _ in 1...3 {
                let before = try server.statistics().tokenRequests
                let token = try stage.vault("token", "work")
                let after = try server.statistics().tokenRequests
                #expect(token.code == 0)
                if before == after { return true }
            }
            return false
        }

        @Test func noTokenThatIsHandedOutIsRefused() throws {
            try withStage { stage in
                let server = try stage.startServer("--lifetime", "4")
                try stage.initialize()
                try stage.add("work", from: server)
                var tokens: Set<String> = []
                let end = ContinuousClock.now + .seconds(10)
                while ContinuousClock.now < end {
                    let token = try stage.vault("token", "work")
                    #expect(token.code == 0 && token.stderr.isEmpty, "\(token)")
                    #expect(try server.present(token.word) == "200")
                    tokens.insert(token.word)
                }
                let counted = try server.statistics()
                #expect(counted.apiRefused == 0 && counted.apiAccepted > 20)
                #expect(tokens.count >= 3)
                #expect(counted.reuseDetections == 0 && counted.mostPostsOfOneRefreshToken == 1)
            }
        }

        @Test func anAccountThatIsRemovedIsNotRenewedAnyMore() throws {
            try withStage { stage in
                let server = try stage.startServer("--lifetime", "3")
                try stage.initialize()
                try stage.add("work", from: server)
                try stage.add("home", from: server)
                #expect(try stage.vault("remove", "work").code == 0)
                usleep(4_500_000)
                let counted = try server.statistics()
                #expect(counted.perSubject["work", default: 0] == 0)
                #expect(counted.perSubject["home", default: 0] >= 1)
            }
        }
    }
}
