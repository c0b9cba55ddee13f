import Testing

extension EndToEndTests {
    /// One expired account and a crowd of clients at the same moment.
    @Suite struct OneRefreshTests {
        enum Crowd: String, CaseIterable {
            case commands
            case programsWithoutAgent
            case halfAndHalf

            /// Which of the eight are `vault token`; the others are programs over VaultKit.
            func isCommand(_ index: Int) -> Bool {
                switch self {
                case .commands: true
                case .programsWithoutAgent: false
                case .halfAndHalf: index.isMultiple(of: 2)
                }
            }
        }

        @Test(arguments: Crowd.allCases)
        func eightClientsCauseOneRequest(crowd: Crowd) throws {
            try withStage { stage in
                let server = try stage.startServer()
                try server.setStanding(#"{"delayAfterCommit":0.5}"#)
                try stage.initialize()
                try stage.addExpired(["work"], from: server)
                let launches = try (0..<8).map { index in
                    crowd.isCommand(index)
                        ? try stage.vaultLaunch(["token", "work"])
                        : try stage.launch(Programs.vaultKitClient(), ["work"])
                }
                let ended = try stage.together(launches)
                for end in ended { #expect(end.code == 0 && end.stderr.isEmpty, "\(end)") }
                #expect(Set(ended.map(\.word)).count == 1)
                let counted = try server.statistics()
                #expect(counted.tokenRequests == 1)
                #expect(counted.mostPostsOfOneRefreshToken == 1)
                #expect(counted.reuseDetections == 0)
                #expect(counted.grantsAlive == 1 && counted.grantsRevoked == 0)
                // Alive: the next refresh works, too.
                #expect(try stage.vault("refresh", "work").code == 0)
                let first = try #require(ended.first)
                #expect(try server.present(first.word) == "200")
            }
        }

        @Test func fiftyLookupsOfFiveAccountsCauseFiveRequests() throws {
            try withStage { stage in
                let server = try stage.startServer()
                try server.setStanding(#"{"delayAfterCommit":0.5}"#)
                try stage.initialize()
                try stage.addExpired((0..<5).map { "a\($0)" }, from: server)
                let launches = try (0..<50).map { try stage.vaultLaunch(["token", "a\($0 % 5)"]) }
                let ended = try stage.together(launches)
                for end in ended { #expect(end.code == 0, "\(end)") }
                #expect(Set(ended.map(\.word)).count == 5)
                let counted = try server.statistics()
                #expect(counted.tokenRequests == 5 && counted.reuseDetections == 0)
                #expect(counted.perSubject.values.allSatisfy { $0 == 1 })
            }
        }

        @Test func hundredReadersOfAValidTokenSendNothing() throws {
            try withStage { stage in
                let server = try stage.startServer()
                try stage.initialize()
                try stage.add("work", from: server)
                #expect(try stage.vault("agent", "stop").code == 0)
                let launch = try stage.vaultLaunch(["token", "work"])
                let ended = try stage.together(Array(repeating: launch, count: 100))
                for end in ended { #expect(end.code == 0 && end.stderr.isEmpty, "\(end)") }
                #expect(Set(ended.map(\.word)).count == 1)
                #expect(try server.statistics().tokenRequests == 0)
            }
        }
    }
}
