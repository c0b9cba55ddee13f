import FoundationEssentials
import Platform
import Testing
import VaultTesting

@testable import VaultKit

/// Accounts that fail for good, beside others of the same provider and client.
@Suite(.timeLimit(.minutes(1))) struct FailingNeighboursTests {
    /// What the failing ones get: each of it leaves the account where it is, or ends it.
    private static let refusals: [ScriptedAnswer] = [
        .refusal("invalid_request"), .refusal("of_tomorrow"), .refusal("invalid_scope"),
        .response(500), .response(502, body: "<html>"),
    ]

    @Test("server E3: accounts that fail for good make none of the others late")
    func failing() async throws {
        let clock = ManualClock()
        // When each token comes to its end, by the name of its account.
        let ends = Shared<[String: Date]>([:])
        let late = Shared<[String]>([])
        let refused = Shared(0)
        let transport = ScriptedTransport { request in
            let token = request.refreshToken?.reveal { $0 } ?? ""
            let name = String(token.prefix { $0 != "-" })
            guard name.hasPrefix("good") else {
                return Self.refusals[
                    refused.update {
                        $0 += 1; return $0
                    } % Self.refusals.count
                ]
            }
            let now = clock.now().wall
            let end = ends.update { $0.updateValue(now.addingTimeInterval(3600), forKey: name) }
            if let end, end.timeIntervalSince(now) < 60 { late.update { $0.append(name) } }
            return .grant(accessToken: "access", refreshToken: "\(name)-x", expiresIn: 3600)
        }
        try await withScene(transport, clock: clock) { scene in
            for number in 1...60 {
                for kind in ["good", "bad"] {
                    try await scene.add(try #require(AccountName("\(kind)\(number)")))
                }
                ends.update { $0["good\(number)"] = clock.now().wall.addingTimeInterval(3600) }
            }
            try await run(scene, for: 4 * 3600)
            #expect(late.value.isEmpty, "\(late.value)")
            #expect(refused.value > 60)
            for number in 1...60 {
                let account = try scene.stored(try #require(AccountName("good\(number)")))
                #expect(account.generation >= 4 && account.health.state == .active)
            }
        }
    }
}
