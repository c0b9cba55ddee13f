import FoundationEssentials
import OAuth
import Platform
import Testing

@testable import VaultStore

@Suite struct RequestPaceTests {
    private static let limits = [
        RequestLimit(requests: 1, seconds: 10), RequestLimit(requests: 2, seconds: 10),
        RequestLimit(requests: 10, seconds: 1), RequestLimit(requests: 60, seconds: 60),
        RequestLimit(requests: 2000, seconds: 3600),
    ]

    /// When requests go out that come as `arrivals` says: seconds to the next, and whether it is
    /// planned.
    private func sendings(
        _ limit: RequestLimit,
        count: Int,
        _ arrival: () -> (pause: Double, isPlanned: Bool)
    ) -> [Double] {
        var (now, paid, sent): (Date, Date?, [Double]) = (Fixture.now, nil, [])
        for _ in 0..<count {
            let (pause, isPlanned) = arrival()
            now.addTimeInterval(pause)
            guard limit.wait(paidUntil: paid, isPlanned: isPlanned, at: now) == nil else {
                continue
            }
            paid = limit.paid(after: paid, at: now)
            sent.append(now.timeIntervalSince(Fixture.now))
        }
        return sent
    }

    /// The most in any window, its ends included.
    private func busiest(_ times: [Double], window: Double) -> Int {
        var (first, most) = (0, 0)
        for last in times.indices {
            while times[last] - times[first] > window { first += 1 }
            most = max(most, last - first + 1)
        }
        return most
    }

    @Test("server E8: no window ever has more requests than the limit", arguments: limits)
    func neverMore(limit: RequestLimit) {
        var numbers = SystemRandomNumberGenerator()
        let share = limit.seconds / Double(limit.requests)
        for rush in [0.01, 0.3, 1, 3] {
            let sent = sendings(limit, count: 20_000) {
                let isQuiet = Int.random(in: 0..<500, using: &numbers) == 0
                let pause = Double.random(in: 0...2 * share * rush, using: &numbers)
                return (isQuiet ? limit.seconds : pause, Bool.random(using: &numbers))
            }
            // A request takes a while from its claim to the server.
            #expect(busiest(sent, window: limit.seconds * 1.009) <= limit.requests)
        }
    }

    @Test("server E8: most of what is allowed is used, evenly", arguments: limits.suffix(3))
    func mostOfIt(limit: RequestLimit) {
        let sent = sendings(limit, count: 100_000) { (limit.seconds / 20_000, true) }
        #expect(busiest(sent, window: limit.seconds) * 100 >= limit.requests * 85)
        let gaps = zip(sent, sent.dropFirst()).map { $1 - $0 }
        #expect(gaps.dropFirst(30).allSatisfy { $0 > 0.4 * limit.share })
    }

    @Test("server E8: whoever waits is let in before what was planned")
    func callers() throws {
        let limit = RequestLimit(requests: 2000, seconds: 3600)
        var paid: Date?
        var count = 0
        while limit.wait(paidUntil: paid, isPlanned: true, at: Fixture.now) == nil {
            paid = limit.paid(after: paid, at: Fixture.now)
            count += 1
        }
        #expect(count == 1)
        while limit.wait(paidUntil: paid, isPlanned: false, at: Fixture.now) == nil {
            paid = limit.paid(after: paid, at: Fixture.now)
            count += 1
        }
        #expect((150...200).contains(count))
        let wait = try #require(limit.wait(paidUntil: paid, isPlanned: false, at: Fixture.now))
        #expect(wait <= limit.share)
        // A time that no requests led to: the wall clock was set back.
        let before = Fixture.now.addingTimeInterval(-3600)
        #expect(limit.wait(paidUntil: paid, isPlanned: true, at: before) == nil)
    }

    @Test("server E8: two processes share what there is; what is refused is not written")
    func inTheFile() async throws {
        try await withTemporaryVault { vault in
            let file = try vault.open()
            let account = try file.insert(Fixture.account("work"))
            let limit = RequestLimit(requests: 2, seconds: 60)
            func claim(at date: Date, isPlanned: Bool = false) throws {
                let payment = RequestPayment(limit: limit, isPlanned: isPlanned, at: date)
                _ = try file.claim(
                    account,
                    intent: Fixture.intent([UInt8(1)]),
                    turn: ClaimTurn(payment: payment)
                )
            }
            func paid() throws -> Date? { try file.clientState(of: account.settings).paidUntil }
            try claim(at: Fixture.now)
            #expect(try paid() == Fixture.now.addingTimeInterval(66))
            #expect(throws: StoreError.superseded) {
                try claim(at: Fixture.now.addingTimeInterval(60))
            }
            #expect(try paid() == Fixture.now.addingTimeInterval(66))
            // A pause of the host changes nothing about it.
            try file.update(
                ClientHashes(account.settings, file.currentKeyring()),
                at: Fixture.now
            ) { $0.pausedUntil = Fixture.now.addingTimeInterval(5) }
            #expect(try paid() == Fixture.now.addingTimeInterval(66))
            try claim(at: Fixture.now.addingTimeInterval(61))
        }
    }

    @Test("server E8: a person's limit for a host stands above the catalogue's")
    func configured() async throws {
        try await withTemporaryVault { vault in
            let file = try vault.open()
            var settings = Fixture.settings("work")
            #expect(file.requestLimit(of: settings) == nil)
            settings.refresh.provider = "github"
            // The same software elsewhere has limits of its own.
            #expect(file.requestLimit(of: settings) == nil)
            settings.tokenEndpoint = EndpointURL(unchecked: "https://github.com/login/oauth/token")
            let known = RequestLimit(requests: 2000, seconds: 3600)
            #expect(file.requestLimit(of: settings) == known)
            #expect(try file.clientState(of: settings).limit == known)
            let text = #"{"limits": {"github.com": {"requests": 5, "seconds": 60}}}"#
            try FileSystem.writeNew(vault.location.configuration, Array(text.utf8).span)
            let told = RequestLimit(requests: 5, seconds: 60)
            #expect(try vault.open().requestLimit(of: settings) == told)
        }
    }
}
