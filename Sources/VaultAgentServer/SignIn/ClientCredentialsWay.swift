internal import OAuth
internal import Platform
internal import VaultAgentClient
internal import VaultCrypto
internal import VaultKit

/// Asks the token endpoint with nothing but the client's own credentials (RFC 6749 §4.4): nobody has
/// to do anything for it.
///
/// The request is the one that renews the account later, so that what works now works then.
struct ClientCredentialsWay: SignInWay {
    private let keeper: GrantKeeper
    private let registration: AccountRegistration
    private let transport: any HTTPTransport
    private let clock: any VaultClock

    /// - Throws: `invalid_input` with the field `client_id` or `client_secret` where there is none: such
    ///   a client has to authenticate (RFC 6749 §4.4.2).
    init(
        _ request: SignInRequest,
        _ metadata: AuthorizationServerMetadata,
        vault: Vault,
        transport: any HTTPTransport,
        clock: any VaultClock,
        log: AgentLog?
    ) throws(VaultError) {
        keeper = GrantKeeper(
            request: request,
            metadata: metadata,
            client: ClientSource.Found(
                client: try Self.client(request, metadata),
                redirectURI: request.redirectURI
            ),
            vault: vault,
            log: log
        )
        registration = keeper.registration
        self.transport = transport
        self.clock = clock
    }

    private static func client(
        _ request: SignInRequest,
        _ metadata: AuthorizationServerMetadata
    ) throws(VaultError) -> Client {
        var facts: [VaultError.Fact: String] = [.reason: "no_credentials"]
        guard let id = request.clientID else {
            facts[.field] = "client_id"
            throw VaultError(.invalidInput, account: request.name, facts: facts)
        }
        // A certificate is one, too (RFC 8705 §2).
        guard request.clientSecret != nil || request.network.clientCertificate != nil else {
            facts[.field] = "client_secret"
            throw VaultError(.invalidInput, account: request.name, facts: facts)
        }
        return request.client(id, metadata)
    }

    func run(_ progress: SignInProgress) async {
        await progress.run(life: SignInProgress.life) { await ask(progress) }
    }

    private func ask(_ progress: SignInProgress) async {
        let request = registration.clientCredentialsRequest
        let sent = clock.now()
        let response: HTTPResponse
        do throws(HTTPTransportError) {
            response = try await transport.send(request)
        } catch {
            return progress.settle(.failed(VaultError(error, account: keeper.request.name)))
        }
        let answer = registration.answerReader
            .read(response, countingFrom: sent.wall, presented: nil)
        switch answer {
        case .granted(let granted): await keeper.take(granted, sent: sent, progress)
        case .refused(let error):
            progress.settle(
                .failed(
                    VaultError(error, host: request.url.host, reason: "credentials_refused")
                )
            )
        }
    }

    func describe(_ document: inout SignInDocument) {}
}
