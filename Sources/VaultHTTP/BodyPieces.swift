internal import Platform

/// A request's body on its way to the transport's thread: one piece waits at most.
final class BodyPieces: Sendable {
    /// What there is for the thread.
    enum Supply {
        case bytes(Int)
        case nothingYet
        case end
    }

    private let state: Locked<State>

    private struct State {
        var piece: ArraySlice<UInt8>
        /// Whether no piece follows.
        var isLast: Bool
        var isStarted = false
        /// Nobody takes any more.
        var isStopped = false
        /// The thread found nothing, and wants to hear of the next piece.
        var isAwaited = true
        var room: CheckedContinuation<Void, Never>?
        var pump: Task<Void, Never>?

        var isThere: Bool { !piece.isEmpty || isLast }

        mutating func move(into space: UnsafeMutableRawBufferPointer) -> Int {
            let count = min(space.count, piece.count)
            piece.withUnsafeBytes { bytes in
                space.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<count]))
            }
            piece = count < piece.count ? piece.dropFirst(count) : []
            isStarted = true
            return count
        }
    }

    /// A body in one piece, or one whose pieces are to come.
    init(_ bytes: [UInt8]?) {
        state = Locked(State(piece: (bytes ?? [])[...], isLast: bytes != nil))
    }

    /// Whether a byte has left, so that the server may have read it.
    var isStarted: Bool { state.withLock(\.isStarted) }
    var isStopped: Bool { state.withLock(\.isStopped) }
    /// Whether the thread has something to do with it: a piece, the end, or that nobody takes any.
    var isReady: Bool { state.withLock { $0.isThere || $0.isStopped } }
    /// Whether bytes of it have not left, and may never.
    var isCutShort: Bool { state.withLock { $0.isStopped || !$0.isLast || !$0.piece.isEmpty } }
    /// Whether nothing is left to be taken.
    var isFinished: Bool { state.withLock { $0.isLast && $0.piece.isEmpty } }

    // MARK: - The task's side

    /// Waits for room and leaves a piece; whether the thread wants to hear of it, or nothing once
    /// nobody takes any more.
    func put(_ piece: [UInt8], isLast: Bool) async -> Bool? {
        await withCheckedContinuation { continuation in
            let mustWait = state.withLock { state in
                guard !state.isStopped, !state.piece.isEmpty else { return false }
                state.room = continuation
                return true
            }
            if !mustWait { continuation.resume() }
        }
        return state.withLock { state in
            guard !state.isStopped else { return nil }
            state.piece = piece[...]
            state.isLast = isLast
            defer { state.isAwaited = false }
            return state.isAwaited
        }
    }

    /// Ties the task that puts the pieces to the body's life.
    func follow(_ pump: Task<Void, Never>) {
        let isLate = state.withLock { state in
            if !state.isStopped { state.pump = pump }
            return state.isStopped
        }
        if isLate { pump.cancel() }
    }

    /// Takes no more, and ends the task that puts the pieces; whether this was the first time.
    @discardableResult
    func stop() -> Bool {
        let (isFirst, room, pump) = state.withLock { state in
            let isFirst = !state.isStopped
            state.isStopped = true
            state.piece = []
            defer { (state.room, state.pump) = (nil, nil) }
            return (isFirst, state.room, state.pump)
        }
        room?.resume()
        // Not on this thread, which may be the transport's: it runs what the source has for that case.
        if let pump { Task { pump.cancel() } }
        return isFirst
    }

    // MARK: - The thread's side

    /// Copies what fits of the piece that waits.
    func read(into space: UnsafeMutableRawBufferPointer) -> Supply {
        let (supply, room) = state.withLock { state in
            guard state.isThere, !state.isStopped else {
                state.isAwaited = true
                return (Supply.nothingYet, CheckedContinuation<Void, Never>?.none)
            }
            guard !state.piece.isEmpty else { return (.end, nil) }
            let count = state.move(into: space)
            guard state.piece.isEmpty else { return (.bytes(count), nil) }
            defer { state.room = nil }
            return (.bytes(count), state.room)
        }
        room?.resume()
        return supply
    }
}
