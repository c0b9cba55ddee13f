internal import Platform

/// How late the scheduler started refreshes after they were due.
package final class Lateness: Sendable {
    /// Seconds up to which each of the counts goes; the last one has all above.
    package static let bounds = [1.0, 2, 5, 10, 30, 60, 300]

    /// Counts of refreshes.
    package struct Figures: Sendable, Equatable {
        /// By how late they were, one more than there are bounds.
        package var counts = [Int](repeating: 0, count: bounds.count + 1)
        /// Seconds, of all together.
        package var sum = 0.0
        /// Seconds, of the latest.
        package var longest = 0.0
    }

    private let state = Locked(Figures())

    /// The figures so far.
    package var figures: Figures { state.withLock { $0 } }

    func note(_ seconds: Double) {
        let seconds = max(0, seconds)
        let place = Self.bounds.firstIndex { seconds <= $0 } ?? Self.bounds.count
        state.withLock { figures in
            figures.counts[place] += 1
            figures.sum += seconds
            figures.longest = max(figures.longest, seconds)
        }
    }
}
