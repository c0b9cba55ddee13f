package import OAuth

/// Endpoints that nobody told, of an account whose provider is known.
extension AccountRegistration {
    /// Takes the endpoints of a provider's entry that has the same token endpoint.
    package mutating func takeEndpoints(of entry: ProviderCatalogue.Entry) {
        (revocationEndpoint, revocationForm) = revocation(by: entry)
        guard entry.tokenEndpoint == tokenEndpoint else { return }
        let signIn = entry.signIn
        authorizationEndpoint = authorizationEndpoint ?? signIn.authorizationEndpoint?.url
        deviceAuthorizationEndpoint =
            deviceAuthorizationEndpoint ?? signIn.deviceAuthorizationEndpoint?.url
        userinfoEndpoint = userinfoEndpoint ?? signIn.userinfoEndpoint?.url
    }

    /// Where and how its tokens are taken back: as was told, else as the provider's entry says.
    func revocation(
        by entry: ProviderCatalogue.Entry?
    ) -> (endpoint: EndpointURL?, form: ProviderRevocation.Form) {
        guard revocationEndpoint == nil, let known = entry?.revocation(at: tokenEndpoint) else {
            return (revocationEndpoint, revocationForm)
        }
        return (known.endpoint, known.form)
    }
}
