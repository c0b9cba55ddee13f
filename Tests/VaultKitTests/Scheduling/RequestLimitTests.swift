import FoundationEssentials
import OAuth
import Platform
import Testing
import VaultCrypto
import VaultTesting

@testable import VaultKit

@Suite(.timeLimit(.minutes(2))) struct RequestLimitTests {
    private static let limit = 200
    private static let count = 300

    /// What was sent: when, in seconds, and for which account.
    private typealias Sending = (time: Double, name: String)

    /// A server that answers everything, with tokens that outlive the test.
    private static func transport(
        _ clock: ManualClock,
        _ sent: Shared<[Sending]>
    ) -> ScriptedTransport {
        let start = clock.now()
        return ScriptedTransport { request in
            let token = request.refreshToken?.reveal { $0 } ?? ""
            let name = token.prefix { $0 != "-" }
            sent.update { $0.append((clock.now().seconds(since: start), String(name))) }
            return .grant(accessToken: "\(name)-2", refreshToken: "\(name)-x", expiresIn: 360_000)
        }
    }

    private func withLimit(
        _ body: (Scene, Shared<[Sending]>) async throws -> Void
    ) async throws {
        let (clock, sent) = (ManualClock(), Shared<[Sending]>([]))
        try await withScene(Self.transport(clock, sent), clock: clock) { scene in
            let host = #"{"limits": {"as.example": {"requests": \#(Self.limit), "seconds": 3600}}}"#
            try FileSystem.writeNew(scene.home.location.configuration, Array(host.utf8).span)
            try await body(scene, sent)
        }
    }

    private func add(_ scene: Scene, _ count: Int = count) async throws {
        for number in 0..<count {
            // The later ones expire earlier.
            let lifetime = 1800 + 6 * Double(count - number)
            try await scene.add(try #require(AccountName("a\(number)")), lifetime: lifetime)
        }
    }

    private func throttled(_ scene: Scene) async throws -> [Account] {
        try await scene.vault.accounts().filter { $0.reason == "throttled" }
    }

    /// The most in any hour.
    private func busiest(_ sent: [Sending]) -> Int {
        let times = sent.map(\.time).sorted()
        return times.indices.map { index in
            times[index...].prefix { $0 - times[index] <= 3600 }.count
        }.max() ?? 0
    }

    @Test(
        "server E8: more accounts than a host takes in an hour; the earliest first, then the rest"
    )
    func manyAccounts() async throws {
        try await withLimit { scene, sent in
            try await add(scene)
            let due = Dictionary(
                uniqueKeysWithValues: try await scene.vault.accounts().map {
                    ($0.name.text, $0.due)
                }
            )
            scene.clock.advance(by: 3600)
            try await run(scene, for: 1800)
            // Not the moment at which the next one's turn has come, and nobody has to wait.
            for _ in 0..<20 where try await throttled(scene).isEmpty {
                try await run(scene, for: 1)
            }
            let early = sent.value
            #expect((85...110).contains(early.count))
            let order = early.compactMap { due[$0.name] ?? nil }
            #expect(order == order.sorted())
            // The rest is shown as waiting for that, and until when.
            let now = scene.clock.now().wall
            let waiting = try await throttled(scene)
            #expect(waiting.count == Self.count - early.count)
            #expect(waiting.allSatisfy { $0.state == .backingOff && $0.failureCount == 0 })
            #expect(waiting.allSatisfy { $0.due.map { $0 > now } ?? false })
            let client = try #require(try await scene.vault.clients().first)
            #expect(client.state == .paused && client.pausedUntil.map { $0 > now } ?? false)

            try await run(scene, for: 5400)
            #expect(sent.value.count == Self.count)
            #expect(Set(sent.value.map(\.name)).count == Self.count)
            #expect(busiest(sent.value) <= Self.limit)
            #expect(try await scene.vault.accounts().allSatisfy { $0.state == .active })
        }
    }

    @Test(
        "server E8: whoever waits for a token gets it before the others, as far as the limit goes"
    )
    func callers() async throws {
        try await withLimit { scene, sent in
            try await add(scene, 250)
            scene.clock.advance(by: 4000)
            try await run(scene, for: 600)
            let planned = sent.value.count
            #expect((28...33).contains(planned))
            var (served, throttled) = (0, 0)
            for number in 0..<60 {
                let name = try #require(AccountName("a\(number)"))
                let error = await vaultError { try await scene.vault.accessToken(for: name) }
                if error == nil { served += 1 }
                if error?.code == .throttled {
                    throttled += 1
                    #expect(error?.retryAfter.map { $0 > 0 && $0 < 30 } ?? false)
                }
            }
            #expect((12...20).contains(served) && served + throttled == 60)
            #expect(sent.value.count == planned + served)
            // A person's word changes nothing about a host's limit.
            let forced = await vaultError { try await scene.vault.refresh("a59", isForced: true) }
            #expect(forced?.code == .throttled)
            try await run(scene, for: 6000)
            #expect(sent.value.count == 250)
            #expect(busiest(sent.value) <= Self.limit)
        }
    }

    @Test("server E8: a limit holds for all processes together, and after a restart")
    func twoProcesses() async throws {
        try await withLimit { scene, sent in
            try await add(scene, 60)
            scene.clock.advance(by: 4000)
            var total = 0
            for _ in 1...6 {
                let other = try await scene.openAgain()
                let again = Scene(
                    home: scene.home,
                    clock: scene.clock,
                    transport: scene.transport,
                    vault: other
                )
                try await run(again, for: 100)
                await other.close()
                // Each begins where the one before it left off.
                #expect((4...7).contains(sent.value.count - total))
                total = sent.value.count
            }
            #expect((28...36).contains(total))
            let third = try await scene.openAgain()
            _ = try await third.accessToken(for: "a0")
            #expect(Set(sent.value.map(\.name)).count == sent.value.count)
            await third.close()
        }
    }
}
