public import OAuth

/// A transport that answers from a script and remembers what it was asked.
///
/// A request that the script does not provide for ends the process: a test that counts requests
/// must not go on after one too many.
public final class ScriptedTransport: HTTPTransport {
    private struct State: Sendable {
        var answers: [ScriptedAnswer]
        var requests: [SentRequest] = []
    }

    private let state: Watched<State>
    private let handler: (@Sendable (SentRequest) async -> ScriptedAnswer)?

    /// A transport that gives these answers, one to each request, in their order.
    public init(_ answers: ScriptedAnswer...) {
        state = Watched(State(answers: answers))
        handler = nil
    }

    /// A transport that asks a closure for each answer.
    public init(handler: @escaping @Sendable (SentRequest) async -> ScriptedAnswer) {
        state = Watched(State(answers: []))
        self.handler = handler
    }

    /// Adds answers to the end of the script.
    public func enqueue(_ answers: ScriptedAnswer...) {
        state.update { $0.answers += answers }
    }

    /// The requests so far.
    public var requests: [SentRequest] { state.value.requests }

    /// The number of requests so far.
    public var requestCount: Int { state.value.requests.count }

    /// The answers that nobody has asked for yet.
    public var unusedAnswerCount: Int { state.value.answers.count }

    /// Waits until so many requests have come in.
    ///
    /// - Throws: `CancellationError` when the task is cancelled.
    public func waitForRequests(_ count: Int) async throws {
        try await state.wait { $0.requests.count >= count }
    }

    /// Answers the next request.
    ///
    /// - Throws: The failure that stands in the script.
    public func send(_ request: HTTPRequest) async throws(HTTPTransportError) -> HTTPResponse {
        let answer = await answer(to: SentRequest(request))
        if let hold = answer.hold {
            do {
                try await hold.pass()
            } catch {
                throw .ambiguous(.connectionLost)
            }
        }
        switch answer.end {
        case .response(let response): return response
        case .failure(let error): throw error
        }
    }

    private func answer(to request: SentRequest) async -> ScriptedAnswer {
        let scripted = state.update { state -> ScriptedAnswer? in
            state.requests.append(request)
            guard handler == nil, !state.answers.isEmpty else { return nil }
            return state.answers.removeFirst()
        }
        if let handler { return await handler(request) }
        guard let scripted else {
            let number = requestCount
            preconditionFailure("request \(number) to \(request.request.url.host) is not scripted")
        }
        return scripted
    }
}
