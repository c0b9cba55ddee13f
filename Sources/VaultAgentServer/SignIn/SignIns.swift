internal import FoundationEssentials
internal import OAuth
internal import Platform
internal import VaultCrypto
internal import VaultKit

/// The sign-ins that are under way, by their random names.
final class SignIns: Sendable {
    private let vault: Vault
    private let transport: any HTTPTransport
    private let clock: any VaultClock
    private let log: AgentLog?
    private let running = Locked<[String: Attempt]>([:])
    private let beginning = Locked(0)

    /// At a time: each has a listener, a thread and connections of its own.
    static let limit = 16

    private struct Attempt {
        let signIn: SignIn
        /// Ends with the sign-in.
        let serving: Task<Void, Never>
        /// Forgets it, once whoever began it has had time to ask how it ended.
        let forgetting: Task<Void, Never>
    }

    init(
        vault: Vault,
        transport: any HTTPTransport,
        clock: any VaultClock,
        log: AgentLog? = nil
    ) {
        self.vault = vault
        self.transport = transport
        self.clock = clock
        self.log = log
    }

    /// Whether anybody is still at one.
    var areWaiting: Bool { running.withLock { !$0.isEmpty } }

    /// Begins one: discovery, and what the person needs to go on.
    ///
    /// - Throws: `busy` while there are as many as may be.
    func begin(_ request: SignInRequest) async throws -> SignIn {
        let waiting = running.withLock { $0.values.count { $0.signIn.outcome == nil } }
        let hasRoom = beginning.withLock { beginning in
            guard waiting + beginning < Self.limit else { return false }
            beginning += 1
            return true
        }
        guard hasRoom else { throw VaultError(.busy, facts: [.reason: "sign_ins"]) }
        defer { beginning.withLock { $0 -= 1 } }
        // Better to know before the person has gone through the browser.
        try await vault.proveWritable()
        let transport = transport.through(request.network)
        var metadata = try await request.discover(using: transport)
        request.server.complete(&metadata)
        try request.server.refuseMoved(metadata)
        (metadata.revocationEndpoint, metadata.revocationForm) = request.revocation(metadata)
        let signIn = SignIn(
            request,
            metadata,
            by: try await way(request, metadata, through: transport)
        )
        // Both are awaited in `stop`, at the latest.
        let serving = Task { await signIn.run() }
        let forgetting = Task {
            await serving.value
            try? await SystemClock().sleep(seconds: Self.resultLife)
            running.withLock { $0[signIn.id] = nil }
        }
        running.withLock {
            $0[signIn.id] = Attempt(signIn: signIn, serving: serving, forgetting: forgetting)
        }
        return signIn
    }

    private func way(
        _ request: SignInRequest,
        _ metadata: AuthorizationServerMetadata,
        through transport: any HTTPTransport
    ) async throws -> any SignInWay {
        switch request.flow {
        case .browser, .paste:
            try await BrowserWay(request, metadata, vault: vault, transport: transport)
        case .device:
            try await DeviceWay(
                request,
                metadata,
                vault: vault,
                transport: transport,
                clock: clock,
                log: log
            )
        case .clientCredentials:
            try ClientCredentialsWay(
                request,
                metadata,
                vault: vault,
                transport: transport,
                clock: clock,
                log: log
            )
        }
    }

    /// What a server publishes now, for an account that nobody signs in to.
    func discover(_ request: SignInRequest) async throws -> AuthorizationServerMetadata {
        var metadata = try await request.discover(using: transport.through(request.network))
        request.server.complete(&metadata)
        return metadata
    }

    /// Seconds that an outcome can be asked for.
    private static let resultLife = 60.0

    func signIn(_ id: String) -> SignIn? {
        running.withLock { $0[id]?.signIn }
    }

    func cancel(_ id: String) {
        signIn(id)?.cancel()
    }

    func cancelAll() {
        for attempt in running.withLock({ Array($0.values) }) { attempt.signIn.cancel() }
    }

    /// Cancels those that wait for a person, and sees a code that is being exchanged through to
    /// the store.
    func stop() async {
        cancelAll()
        for attempt in running.withLock({ Array($0.values) }) {
            await attempt.serving.value
            attempt.forgetting.cancel()
            await attempt.forgetting.value
        }
    }
}
