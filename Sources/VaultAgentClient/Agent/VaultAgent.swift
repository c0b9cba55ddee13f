internal import FoundationEssentials
internal import OAuth
public import Platform
public import VaultAccess
internal import VaultCrypto

/// The agent of a vault: hands out its access tokens to programs that hold none of its keys.
///
/// What it is asked has the names and the meaning that it has of an open vault, and comes to the same
/// values and errors. The agent has to run already: any `vault` command that needs it starts it, or a
/// service does. A program never starts it by itself; without one every call fails with `no_agent`.
///
/// Nothing is kept open between calls, and no call holds one of Swift's threads while it waits.
public final class VaultAgent: Sendable {
    /// The vault's directory, where the agent listens.
    public let location: VaultLocation
    /// Which rejected tokens were replaced lately.
    public let rejections: RejectionLimit

    private let clock: any VaultClock
    private let connection: AgentConnection
    private let threads = AgentThreads()

    /// Seconds that an agent has for its answer beyond what it may wait for a refresh.
    private static let patience = 1.0
    /// Seconds that any call takes at most: no deadline is later.
    private static let longestCall = 86_400.0
    /// Seconds for a call that refreshes nothing.
    private static let plainCall = 60.0

    /// The agent of the vault in a directory; whether it runs is found out by the first call.
    ///
    /// - Parameters:
    ///   - location: The directory; the one of the environment unless told.
    ///   - clock: Where the time comes from.
    /// - Throws: `VaultError`: `no_vault` where there is no place for one.
    public init(
        _ location: VaultLocation? = nil,
        clock: any VaultClock = SystemClock()
    ) throws(VaultError) {
        guard let location = location ?? VaultLocation.fromEnvironment() else {
            throw VaultError(.noVault, facts: [.reason: "no_home"])
        }
        self.location = location
        self.clock = clock
        rejections = RejectionLimit(clock: clock)
        connection = AgentConnection(
            directory: location.directory,
            socketName: VaultLocation.socketName
        )
    }

    /// The answer to a request.
    ///
    /// - Throws: `VaultError`; `CancellationError` when the task is cancelled.
    func answer(_ request: AgentRequest) async throws -> AgentAnswer {
        // What is no number is no time.
        let deadline = request.deadline ?? Self.plainCall
        let limit = deadline > 0 ? min(deadline, Self.longestCall) : 0
        let until = clock.now().advanced(by: limit)
        let call = AgentCall(about: request.account) { [self] interruption in
            let left = max(until.seconds(since: clock.now()), 0)
            return try exchange(request, target: request.target(secondsLeft: left), interruption)
        }
        // Nobody awaits it: it ends with the call.
        let limiter = Task { [threads, clock, silence = failure(.silent, request)] in
            guard (try? await clock.sleep(seconds: limit + Self.patience)) != nil else { return }
            call.giveUp(silence, from: threads)
        }
        defer { limiter.cancel() }
        return try await call.answer(from: threads)
    }

    /// The document that answers a request.
    func document<Document: Decodable>(
        _ type: Document.Type,
        _ request: AgentRequest
    ) async throws -> Document {
        let answer = try await answer(request)
        guard let document = answer.document(type) else { throw malformed(request) }
        return document
    }

    /// What is thrown for an answer that makes no sense.
    func malformed(_ request: AgentRequest) -> VaultError {
        failure(.malformedAnswer, request)
    }

    private func failure(
        _ failure: AgentConnection.Failure,
        _ request: AgentRequest
    ) -> VaultError {
        VaultError(agent: failure, at: location).named(request.account)
    }

    private func exchange(
        _ request: AgentRequest,
        target: String,
        _ interruption: Interruption
    ) throws -> AgentAnswer {
        do {
            // Before anything is sent: in a directory of others the socket may be anybody's.
            try location.checkDirectory()
            // No version is told: a program outlives updates, and what it asks keeps its meaning.
            return try AgentAnswer(
                connection.send(
                    request.method,
                    target,
                    body: request.body,
                    timeout: 0,
                    interruption: interruption
                )
            )
        } catch let error as AgentConnection.Failure {
            throw failure(error, request)
        } catch let error as VaultError {
            throw error.named(request.account)
        }
    }
}

extension VaultAgent: AccessTokenSource {}
