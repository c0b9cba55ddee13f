/// What an authorization server publishes about itself (RFC 8414 §2, OpenID Connect Discovery §3).
package struct AuthorizationServerMetadata: Sendable, Hashable {
    /// The issuer, letter by letter as the document states it; nil where nobody stated one.
    package var issuer: String?
    /// Where the document was read.
    package var source: EndpointURL
    /// Where the resource owner is sent to sign in.
    package var authorizationEndpoint: EndpointURL?
    /// Where tokens are issued.
    package var tokenEndpoint: EndpointURL
    /// Where the device grant starts (RFC 8628 §4).
    package var deviceAuthorizationEndpoint: EndpointURL?
    /// Where tokens are revoked (RFC 7009).
    package var revocationEndpoint: EndpointURL?
    /// How they are handed in there; what a document publishes takes them as RFC 7009 has it.
    package var revocationForm = ProviderRevocation.Form.standard
    /// Where OpenID Connect tells who signed in.
    package var userinfoEndpoint: EndpointURL?
    /// Where clients register themselves (RFC 7591).
    package var registrationEndpoint: EndpointURL?
    /// Whether redirects carry `iss`, so that one without it is refused (RFC 9207 §2.4).
    package var authorizationResponseIssParameterSupported: Bool
    /// The PKCE methods listed; S256 is used whether it is among them or not.
    package var codeChallengeMethodsSupported: [String]
    /// The ways clients may authenticate; Basic where the document lists none.
    package var tokenEndpointAuthMethodsSupported: [String]
    /// The grant types listed.
    package var grantTypesSupported: [String]
    /// The scope names listed.
    package var scopesSupported: [String]
    /// Where clients that show a certificate go instead (RFC 8705 §5).
    package var mutualTLSAliases: [EndpointName: EndpointURL] = [:]

    /// The same for a client that shows a certificate: it has to use the aliases there are.
    package var forMutualTLS: AuthorizationServerMetadata {
        var metadata = self
        metadata.tokenEndpoint = mutualTLSAliases[.token] ?? tokenEndpoint
        metadata.deviceAuthorizationEndpoint =
            mutualTLSAliases[.deviceAuthorization] ?? deviceAuthorizationEndpoint
        metadata.revocationEndpoint = mutualTLSAliases[.revocation] ?? revocationEndpoint
        metadata.userinfoEndpoint = mutualTLSAliases[.userinfo] ?? userinfoEndpoint
        metadata.registrationEndpoint = mutualTLSAliases[.registration] ?? registrationEndpoint
        return metadata
    }
}

extension AuthorizationServerMetadata {
    /// What is known of a server otherwise than from a document of its own.
    package init(
        issuer: String? = nil,
        endpoints: [EndpointName: EndpointURL],
        token: EndpointURL
    ) {
        self.init(
            issuer: issuer,
            source: token,
            authorizationEndpoint: endpoints[.authorization],
            tokenEndpoint: token,
            deviceAuthorizationEndpoint: endpoints[.deviceAuthorization],
            revocationEndpoint: endpoints[.revocation],
            userinfoEndpoint: endpoints[.userinfo],
            registrationEndpoint: endpoints[.registration],
            authorizationResponseIssParameterSupported: false,
            codeChallengeMethodsSupported: [],
            tokenEndpointAuthMethodsSupported: [],
            grantTypesSupported: [],
            scopesSupported: []
        )
    }

    /// Its endpoints by their names.
    package var endpoints: [EndpointName: EndpointURL] {
        var endpoints = [EndpointName.token: tokenEndpoint]
        endpoints[.authorization] = authorizationEndpoint
        endpoints[.deviceAuthorization] = deviceAuthorizationEndpoint
        endpoints[.revocation] = revocationEndpoint
        endpoints[.userinfo] = userinfoEndpoint
        endpoints[.registration] = registrationEndpoint
        return endpoints
    }
}

/// The endpoints a discovery document names, by their member names.
package enum EndpointName: String, Sendable, Hashable, CaseIterable {
    /// Where the resource owner signs in.
    case authorization = "authorization_endpoint"
    /// Where tokens are issued.
    case token = "token_endpoint"
    /// Where the device grant starts.
    case deviceAuthorization = "device_authorization_endpoint"
    /// Where tokens are revoked.
    case revocation = "revocation_endpoint"
    /// Where OpenID Connect tells who signed in.
    case userinfo = "userinfo_endpoint"
    /// Where clients register themselves.
    case registration = "registration_endpoint"
}

/// Why there is no metadata.
package enum DiscoveryError: Error, Sendable, Equatable {
    /// The issuer is no address, or one with a query or fragment.
    case issuerInvalid(EndpointURLError?)
    /// The issuer is plain http to another machine; nothing was fetched.
    case issuerInsecure
    /// The document speaks for another issuer.
    case issuerMismatch
    /// There is no document in any of the known places.
    case notFound
    /// A place answered with a redirect, which is not followed.
    case redirected
    /// A place answered with a fault of the moment.
    case unavailable(status: Int)
    /// A place did not answer.
    case unreachable(HTTPTransportError)
    /// What was found is not a metadata document.
    case malformed
    /// An endpoint is not https.
    case endpointInsecure(EndpointName)
    /// An endpoint that is needed is missing.
    case endpointMissing(EndpointName)
}
