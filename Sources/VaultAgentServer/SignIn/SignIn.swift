internal import OAuth
internal import Platform
internal import VaultAgentClient
internal import VaultCrypto
internal import VaultKit
internal import VaultStore

/// One sign-in: what a person has to do for it, and how it ended.
final class SignIn: Sendable {
    let id = Secret.randomText().reveal { $0 }
    let request: SignInRequest
    /// The issuer as it states itself; where nobody did, where the person signs in.
    let issuer: String
    /// Who the person signs in at.
    let server: SignInServerDocument
    let way: any SignInWay
    private let progress: SignInProgress

    /// How it ended.
    enum Outcome: Sendable {
        case ready(renewable: Bool)
        case failed(VaultError)
    }

    init(
        _ request: SignInRequest,
        _ metadata: AuthorizationServerMetadata,
        by way: any SignInWay
    ) {
        self.request = request
        let page = metadata.authorizationEndpoint ?? metadata.tokenEndpoint
        issuer = metadata.issuer ?? page.origin
        server = request.server.document(metadata, flow: request.flow)
        self.way = way
        progress = SignInProgress()
    }

    /// Goes on until there is an outcome.
    func run() async { await way.run(progress) }

    var outcome: Outcome? { progress.outcome }
    var notice: SignInProgress.Notice? { progress.notice }

    /// Waits up to some seconds for the outcome, for a command that asks.
    func outcome(within seconds: Double) async -> Outcome? {
        await progress.outcome(within: seconds)
    }

    func cancel() {
        progress.giveUp("cancelled")
    }

    /// Takes an address that was copied from a browser on another machine, or a code that it shows.
    ///
    /// - Throws: `invalid_input` for one that is not the answer, which changes nothing.
    func take(pasted address: String) async throws {
        guard let way = way as? BrowserWay else {
            throw VaultError(
                .invalidInput,
                facts: [.field: "redirect", .reason: "not_asked_for"]
            )
        }
        try await way.take(pasted: address, progress)
    }
}

/// A way from a request to a grant.
protocol SignInWay: Sendable {
    /// Goes on until there is an outcome; returns soon after one.
    func run(_ progress: SignInProgress) async

    /// Tells what the person has to do for it.
    func describe(_ document: inout SignInDocument)
}
