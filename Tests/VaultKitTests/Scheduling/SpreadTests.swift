import Testing
import VaultCrypto

@testable import VaultKit

/// Ten thousand accounts that are added within one second, over a day: pure planning.
@Suite struct SpreadTests {
    private static let lifetime = 3600.0
    private static let day = 86_400

    /// The seconds of a day in which an account is refreshed.
    private func plan(of account: AccountID) -> [Double] {
        var times: [Double] = []
        var (time, generation) = (0.0, 1 as UInt64)
        while true {
            let delay = RefreshSchedule.delay(
                lifetime: Self.lifetime,
                refreshIn: nil,
                account: account,
                generation: generation
            )
            guard time + delay < Double(Self.day) else { return times }
            #expect(delay <= Self.lifetime - 60)
            time += delay
            generation += 1
            times.append(time)
        }
    }

    @Test("server E1: the busiest second has at most five times the mean, also after a restart")
    func busiestSecond() {
        let accounts = (0..<10_000).map { number -> AccountID in
            // As good as random, and the same in every run.
            let mixed = UInt64(number) &* 0x9e37_79b9_7f4a_7c15
            let bytes = (0..<16).map { UInt8(truncatingIfNeeded: mixed >> UInt64(8 * ($0 % 8))) }
            return AccountID(bytes) ?? .random()
        }
        let plans = accounts.map(plan)
        var seconds = [Int](repeating: 0, count: Self.day)
        for time in plans.joined() { seconds[Int(time)] += 1 }
        let total = plans.joined().count
        let busiest = seconds.max() ?? 0
        #expect(Double(busiest) <= 5 * Double(total) / Double(Self.day))
        // Nothing is remembered: whoever starts anew plans the same.
        #expect(accounts.map(plan) == plans)
    }
}
