import FoundationEssentials
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
                // Ten seconds in which the file is looked at and nothing is asked for.
                let end = ContinuousClock.now + .seconds(10)
                while ContinuousClock.now < end {
                    let list = try JSON(stage.vault("list", "--json").word)
                    for account in try #require(list["accounts"]).items {
                        // Written in whole seconds, rounded down.
                        let expiry = try #require(account["expiresAt"]?.time)
                        #expect(expiry.addingTimeInterval(1) > Date.now, "expired: \(account)")
                    }
                    usleep(200_000)
                }
                let counted = try server.statistics()
                for name in names { #expect(counted.perSubject[name, default: 0] >= 2) }
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
