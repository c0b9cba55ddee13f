internal import OAuth
internal import VaultKit

/// What is known of where tokens are revoked besides what the server publishes.
struct RevocationPlaces: Sendable {
    let told: EndpointURL?
    let remembered: AccountRegistration?
}

extension SignInRequest {
    /// Where its tokens are revoked, and how: what is told comes before what the account is bound to,
    /// and that before what the server publishes or its provider's entry says, unless somebody says
    /// anew where it goes.
    func revocation(
        _ metadata: AuthorizationServerMetadata
    ) -> (endpoint: EndpointURL?, form: ProviderRevocation.Form) {
        if let told = revocation.told { return (told, .standard) }
        if !server.isNamed, let remembered = revocation.remembered,
            let endpoint = remembered.revocationEndpoint
        {
            return (endpoint, remembered.revocationForm)
        }
        if let endpoint = metadata.revocationEndpoint { return (endpoint, metadata.revocationForm) }
        let remembered = revocation.remembered
        return (remembered?.revocationEndpoint, remembered?.revocationForm ?? .standard)
    }
}
