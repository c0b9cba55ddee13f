/// A place where something waits until a test lets it go on.
///
/// Once released it stops nobody any more.
public final class Hold: Sendable {
    private struct State: Sendable {
        var arrivals = 0
        var isReleased = false
    }

    private let state = Watched(State())

    /// A hold that stops whoever comes.
    public init() {}

    /// How many have come so far.
    public var arrivals: Int { state.value.arrivals }

    /// Lets everybody go on, now and later.
    public func release() {
        state.update { $0.isReleased = true }
    }

    /// Waits until so many have come.
    ///
    /// - Throws: `CancellationError` when the task is cancelled.
    public func waitForArrivals(_ count: Int = 1) async throws {
        try await state.wait { $0.arrivals >= count }
    }

    /// Comes here and waits for the release.
    ///
    /// - Throws: `CancellationError` when the task is cancelled.
    public func pass() async throws {
        state.update { $0.arrivals += 1 }
        try await state.wait { $0.isReleased }
    }
}
