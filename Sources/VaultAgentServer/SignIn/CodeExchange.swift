internal import OAuth
internal import Platform
internal import VaultCrypto
internal import VaultKit

/// Turns the code that a browser brought into a stored grant (RFC 6749 §4.1.3).
struct CodeExchange: Sendable {
    let keeper: GrantKeeper
    let redirectURI: String
    /// Nil where the provider takes no proof key.
    let codeVerifier: Secret?
    /// What ties an ID token to the authorization request; nil where none was asked for.
    let nonce: Secret?
    let transport: any HTTPTransport

    func outcome(of code: Secret) async -> SignIn.Outcome {
        let endpoint = keeper.metadata.tokenEndpoint
        let provider = keeper.request.server.provider?.entry
        let quirks = provider?.quirks ?? ProviderQuirks()
        let sent = SystemClock().now()
        do {
            // A person was at the browser since this was last proved, and a code that is not
            // exchanged costs them a second sign-in and nothing else.
            try await keeper.vault.proveWritable()
            let response = try await transport.send(
                TokenRequest.authorizationCode(
                    code,
                    redirectURI: redirectURI,
                    codeVerifier: codeVerifier,
                    client: keeper.client.client,
                    endpoint: endpoint,
                    extra: provider?.signIn.tokenParameters.map { ($0.name, $0.value) } ?? [],
                    format: quirks.bodyFormat ?? .form
                )
            )
            let answer = TokenResponseReader(grantType: .authorizationCode, quirks: quirks)
                .read(response, countingFrom: sent.wall, presented: code)
            switch answer {
            case .refused(let error):
                return .failed(VaultError(error, host: endpoint.host, reason: "code_refused"))
            case .granted(let granted):
                return await keeper.keep(granted, sent: sent, nonce: nonce)
            }
        } catch {
            return .failed(VaultError(error, account: keeper.request.name))
        }
    }
}
