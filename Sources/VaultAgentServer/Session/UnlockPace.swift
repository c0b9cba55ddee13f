/// How long the answer about a wrong secret is held back, so that guessing through the agent is
/// slow: at once for the first, then a second, doubled each time up to half a minute.
struct UnlockPace: Sendable {
    private static let longest = 30.0
    private var failures = 0

    /// Seconds to hold back the answer about one more wrong secret.
    mutating func failed() -> Double {
        defer { failures += 1 }
        guard failures > 0 else { return 0 }
        return min(Double(1 << min(failures - 1, 10)), Self.longest)
    }

    mutating func succeeded() {
        failures = 0
    }
}
