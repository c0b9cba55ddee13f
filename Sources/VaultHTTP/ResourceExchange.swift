internal import OAuth
internal import Platform
internal import VaultAccess

/// A request to a resource server and its answer, as the caller's tasks and the transport's thread
/// share them.
///
/// Each side changes what is here and tells the other: the thread resumes the tasks that wait, the
/// tasks leave a message that there is something to look at.
final class ResourceExchange: Sendable {
    /// The request without its body: what the caller's closures hold on to must not be let go of on
    /// the transport's thread.
    let request: ResourceRequest
    let framing: BodyFraming
    let upload: BodyPieces
    /// When it began, in seconds since boot.
    let start = Uptime.seconds()
    private let mailbox: Mailbox<CurlMessage>
    private let answer = Locked(AnswerState())

    init(_ request: ResourceRequest, _ mailbox: Mailbox<CurlMessage>) {
        var bare = request
        bare.body = .none
        self.request = bare
        framing = BodyFraming(request)
        self.mailbox = mailbox
        upload =
            switch request.body.content {
            case .none: BodyPieces([])
            case .bytes(let bytes): BodyPieces(bytes)
            case .pieces: BodyPieces(nil)
            }
    }

    /// An error of the caller's is destroyed in a task: this may be the transport's thread, with
    /// libcurl's lock held, and what the error holds on to may wait for just that.
    deinit {
        guard answer.withLock(\.isFailed) else { return }
        Task { [answer] in _ = answer.withLock { $0.takeEnding() } }
    }

    // MARK: - The tasks' side

    /// Sends the request with its body and waits for the header of its answer.
    func send(_ body: RequestBody) async throws -> AnswerHead {
        try await withTaskCancellationHandler {
            try begin(body)
            while true {
                let (head, ending) = answer.withLock { ($0.head, $0.ending) }
                // An answer that came is handed out, whatever became of it.
                if let head { return head }
                if case .failed(let error) = ending { throw error }
                await wait(for: .head)
            }
        } onCancel: {
            cancel()
        }
    }

    private func begin(_ body: RequestBody) throws {
        var pieces: RequestBody.Pieces?
        var length: Int?
        if case .pieces(let declared, let make) = body.content {
            (pieces, length) = (try make(), declared)
        }
        guard mailbox.post(.begin(self)) else { throw HTTPTransportError.notSent(.refused) }
        guard let pieces else { return }
        // Nobody awaits it: it ends with the pieces, or is ended with the exchange.
        upload.follow(Task { [length] in await pump(pieces, length: length) })
    }

    /// The next bytes of the body, nothing at its end.
    func next() async throws -> [UInt8]? {
        if Task.isCancelled { cancel() }
        while true {
            let (content, ending) = answer.withLock { ($0.takeContent(), $0.ending) }
            if let content {
                if content.wasFull { tellThread() }
                return content.bytes
            }
            switch ending {
            case .complete: return nil
            case .failed(let error): throw error
            case nil: break
            }
            await withTaskCancellationHandler {
                await wait(for: .content)
            } onCancel: {
                cancel()
            }
        }
    }

    /// Ends the exchange, unless it has ended, and with it its connection.
    func cancel() {
        if end(.failed(CancellationError()), keepingContent: false) { tellThread() }
    }

    /// Ends it for what went wrong with the request's body.
    func breakOff(_ error: any Error) {
        if end(.failed(error)) { tellThread() }
    }

    /// Ends it for a body that is not what was declared; the thread says whether any of it left.
    func refuse() {
        mailbox.post(.refuse(self))
    }

    func tellThread() {
        mailbox.post(.look(self))
    }

    private func wait(for part: AnswerState.Part) async {
        await withCheckedContinuation { continuation in
            let now = Uptime.seconds()
            let isWaiting = answer.withLock { $0.add(continuation, for: part, at: now) }
            if !isWaiting { continuation.resume() }
        }
    }

    // MARK: - The thread's side

    var isOver: Bool { answer.withLock { $0.ending != nil } }
    var isFull: Bool { answer.withLock(\.isFull) }
    var waitingSince: Double? { answer.withLock(\.waitingSince) }

    /// Takes in the header; `tellTasks` tells of it.
    func answered(_ head: AnswerHead) {
        answer.withLock { $0.answered(head) }
    }

    /// Takes in bytes of the body; `tellTasks` tells of them.
    func receive(_ bytes: UnsafeRawBufferPointer) -> AnswerState.Receipt {
        answer.withLock { $0.receive(bytes) }
    }

    /// Has those who wait look again.
    func tellTasks() {
        resume(answer.withLock { $0.takeWaiters() })
    }

    /// Ends the exchange for both sides; the first end counts, and whether this was it.
    @discardableResult
    func end(_ ending: AnswerState.Ending, keepingContent: Bool = true) -> Bool {
        let (isFirst, waiters) = answer.withLock { state in
            (state.end(ending, keepingContent: keepingContent), state.takeWaiters())
        }
        resume(waiters)
        if isFirst { upload.stop() }
        return isFirst
    }

    private func resume(_ waiters: [AnswerState.Waiter]) {
        for waiter in waiters { waiter.resume() }
    }
}
