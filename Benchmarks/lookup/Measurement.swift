import CAllocations
import FoundationEssentials
import Platform
import VaultKit
import VaultStore

/// Looks tokens up in a vault, in batches: reading the clock takes as long as some of what is
/// measured.
struct Measurement {
    private static let batch = 1000
    private static let uncachedBatches = 31
    private static let hitBatches = 301
    private static let fewCount = 100

    private let vault: Vault
    private let clock: StandingClock
    /// All of them, in an order that neither the file nor a cache of pages knows.
    private let accounts: [AccountName]

    init(_ stored: LookupVault, count: Int) async throws {
        clock = StandingClock()
        vault = try await stored.open(clock: clock)
        accounts = (0..<count).compactMap(LookupVault.name).shuffled()
    }

    /// Nanoseconds, and what a hit asked of the heap.
    struct Result {
        let uncached: Double
        let hits: Hits
        let control: Hits
        let allocations: Double
    }

    /// Nanoseconds of looking at what is in memory.
    struct Hits {
        /// Of a few accounts, again and again.
        let few: Double
        /// Of all accounts, each in its turn.
        let all: Double
    }

    func run() async throws -> Result {
        let uncached = try await uncached()
        let control = TokenDictionary()
        clock.putForward(1)
        for account in accounts { control.add(try await vault.accessToken(for: account)) }
        let few = try await hits(few)
        let all = try await hits(accounts)
        let result = Result(
            uncached: uncached,
            hits: Hits(few: few.time, all: all.time),
            control: Hits(
                few: try await Self.control(control, self.few),
                all: try await Self.control(control, accounts)
            ),
            allocations: max(few.allocations, all.allocations)
        )
        await vault.close()
        return result
    }

    private var few: [AccountName] { Array(accounts.prefix(Self.fewCount)) }

    /// Reads that go to the file: each of another account, until all have had their turn.
    private func uncached() async throws -> Double {
        var next = 0
        return try await Self.median(of: Self.uncachedBatches) {
            for _ in 0..<Self.batch {
                // A second is enough for whatever is in memory to be too old.
                if next % Self.batch == 0 { clock.putForward(1) }
                if next == accounts.count {
                    next = 0
                    clock.putForward(1)
                }
                _ = try await vault.accessToken(for: accounts[next])
                next += 1
            }
        }
    }

    private func hits(
        _ accounts: [AccountName]
    ) async throws -> (time: Double, allocations: Double) {
        var next = 0
        var allocations: UInt64 = 0
        let time = try await Self.median(of: Self.hitBatches) {
            let before = callocations_count()
            for _ in 0..<Self.batch {
                _ = try await vault.accessToken(for: accounts[next])
                next = next + 1 < accounts.count ? next + 1 : 0
            }
            allocations += callocations_count() - before
        }
        return (time, Double(allocations) / Double(Self.batch * Self.hitBatches))
    }

    private static func control(
        _ tokens: TokenDictionary,
        _ accounts: [AccountName]
    ) async throws -> Double {
        var next = 0
        return try await median(of: hitBatches) {
            for _ in 0..<batch {
                _ = tokens.token(of: accounts[next])
                next = next + 1 < accounts.count ? next + 1 : 0
            }
        }
    }

    /// Nanoseconds that one of a batch takes.
    private static func median(
        of batches: Int,
        _ body: () async throws -> Void
    ) async throws -> Double {
        var times: [Double] = []
        times.reserveCapacity(batches)
        for _ in 0..<batches {
            let start = Uptime.seconds()
            try await body()
            times.append(Uptime.seconds() - start)
        }
        return times.sorted()[batches / 2] / Double(batch) * 1e9
    }
}
