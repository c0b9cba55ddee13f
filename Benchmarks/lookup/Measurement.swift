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
        let hit: Double
        let allocations: Double
    }

    func run() async throws -> Result {
        let uncached = try await uncached()
        try await readAll()
        let (hit, allocations) = try await hits()
        await vault.close()
        return Result(uncached: uncached, hit: hit, allocations: allocations)
    }

    /// Reads that go to the file: each of another account, until all have had their turn.
    private func uncached() async throws -> Double {
        var next = 0
        return try await Self.median(of: Self.uncachedBatches) {
            for _ in 0..<Self.batch {
                if next == accounts.count {
                    next = 0
                    clock.putForward(1)
                }
                _ = try await vault.accessToken(for: accounts[next])
                next += 1
            }
        }
    }

    private func readAll() async throws {
        clock.putForward(1)
        for account in accounts { _ = try await vault.accessToken(for: account) }
    }

    private func hits() async throws -> (time: Double, allocations: Double) {
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
