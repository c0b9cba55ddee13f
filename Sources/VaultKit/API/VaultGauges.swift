internal import Platform
package import VaultAccess
internal import VaultStore

extension Vault {
    /// The accounts in each state, by the vault's file.
    package func accountCounts() async throws -> [AccountState: Int] {
        try await translating { try store.accountCounts() }
    }

    /// Accounts with a refresh running in this process.
    package var runningRefreshes: Int { refresher.flightCount }
}

/// How late refreshes began, counted by how many seconds after they were due.
package final class LatenessCounts: Sendable {
    /// Upper ends of the steps, in seconds.
    package static let steps: [Double] = [0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 3600]

    /// What was counted.
    package struct Counts: Sendable {
        /// In each step alone; the last has no upper end.
        package var steps = Array(repeating: 0, count: LatenessCounts.steps.count + 1)
        /// Seconds, all together.
        package var sum = 0.0

        package init() {}
    }

    private let state = Locked(Counts())

    package init() {}

    package var counts: Counts { state.withLock { $0 } }

    /// Counts a refresh that begins; one before its time is not late.
    package func note(_ seconds: Double) {
        guard seconds.isFinite else { return }
        let late = max(seconds, 0)
        let step = Self.steps.firstIndex { late <= $0 } ?? Self.steps.count
        state.withLock { counts in
            counts.steps[step] += 1
            counts.sum += late
        }
    }
}
