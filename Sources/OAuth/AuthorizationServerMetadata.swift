/// What an authorization server publishes about itself (RFC 8414 §2, OpenID Connect Discovery §3).
public struct AuthorizationServerMetadata: Sendable, Hashable {
    /// The issuer, letter by letter as the document states it.
    public var issuer: String
    /// Where the document was read.
    public var source: EndpointURL
    /// Where the resource owner is sent to sign in.
    public var authorizationEndpoint: EndpointURL?
    /// Where tokens are issued.
    public var tokenEndpoint: EndpointURL
    /// Where the device grant starts (RFC 8628 §4).
    public var deviceAuthorizationEndpoint: EndpointURL?
    /// Where tokens are revoked (RFC 7009).
    public var revocationEndpoint: EndpointURL?
    /// Where OpenID Connect tells who signed in.
    public var userinfoEndpoint: EndpointURL?
    /// Where clients register themselves (RFC 7591).
    public var registrationEndpoint: EndpointURL?
    /// Whether redirects carry `iss`, so that one without it is refused (RFC 9207 §2.4).
    public var authorizationResponseIssParameterSupported: Bool
    /// The PKCE methods listed; S256 is used whether it is among them or not.
    public var codeChallengeMethodsSupported: [String]
    /// The ways clients may authenticate; Basic where the document lists none.
    public var tokenEndpointAuthMethodsSupported: [String]
    /// The grant types listed.
    public var grantTypesSupported: [String]
    /// The scope names listed.
    public var scopesSupported: [String]
}

/// The endpoints a discovery document names, by their member names.
public enum EndpointName: String, Sendable, Hashable {
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
public enum DiscoveryError: Error, Sendable, Equatable {
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
