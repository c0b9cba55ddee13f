internal import OAuth

/// The header of an answer.
struct AnswerHead: Sendable {
    let status: Int
    let headers: [(name: String, value: String)]
}

/// What has come of an answer and is not taken yet, and who waits for more.
struct AnswerState {
    typealias Waiter = CheckedContinuation<Void, Never>

    enum Ending {
        case complete
        case failed(any Error)
    }

    /// What somebody waits for.
    enum Part {
        case head
        case content
    }

    /// What became of bytes that came.
    enum Receipt {
        case taken
        /// Nobody takes what is there: these and all after them have to wait.
        case full
        /// The exchange is over.
        case unwanted
    }

    private(set) var head: AnswerHead?
    private(set) var ending: Ending?
    /// Whether bytes were turned away that have to come again.
    private(set) var isFull = false
    /// Since when somebody has waited for what comes next, in seconds since boot.
    private(set) var waitingSince: Double?
    private var content: [UInt8] = []
    private var waiters: [Waiter] = []
    private var lastCount = 0

    /// Bytes beyond which no more are taken in.
    private static let contentLimit = 256 << 10

    /// Whether the wait begins; there is nothing to wait for once the part or the end is there.
    mutating func add(_ waiter: Waiter, for part: Part, at now: Double) -> Bool {
        guard ending == nil, part == .head ? head == nil : content.isEmpty else { return false }
        waiters.append(waiter)
        waitingSince = waitingSince ?? now
        return true
    }

    /// Those who have to look again.
    mutating func takeWaiters() -> [Waiter] {
        guard !waiters.isEmpty else { return [] }
        defer { waiters = [] }
        waitingSince = nil
        return waiters
    }

    mutating func answered(_ head: AnswerHead) {
        self.head = head
    }

    mutating func receive(_ bytes: UnsafeRawBufferPointer) -> Receipt {
        guard ending == nil else { return .unwanted }
        isFull = content.count >= Self.contentLimit
        guard !isFull else { return .full }
        // A piece is likely to become as large as the one before.
        if content.isEmpty { content.reserveCapacity(max(bytes.count, lastCount)) }
        content.append(contentsOf: bytes)
        return .taken
    }

    /// Everything that is there, and whether more had to wait.
    mutating func takeContent() -> (bytes: [UInt8], wasFull: Bool)? {
        guard !content.isEmpty else { return nil }
        defer { (content, isFull) = ([], false) }
        lastCount = content.count
        return (content, isFull)
    }

    /// Whether it ended with an error that is no word of the transport's.
    var isFailed: Bool {
        guard case .failed(let error) = ending else { return false }
        return !(error is HTTPTransportError || error is CancellationError)
    }

    /// The end, which is not kept.
    mutating func takeEnding() -> Ending? {
        defer { ending = nil }
        return ending
    }

    /// The first end is the end; whether this was it.
    mutating func end(_ ending: Ending, keepingContent: Bool) -> Bool {
        guard self.ending == nil else { return false }
        self.ending = ending
        if !keepingContent { content = [] }
        return true
    }
}
