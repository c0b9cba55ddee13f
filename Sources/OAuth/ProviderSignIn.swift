/// What a sign-in at one provider needs.
package struct ProviderSignIn: Sendable, Hashable {
    /// The issuer, whose metadata tells what is not told here.
    package var issuer: EndpointTemplate?
    package var authorizationEndpoint: EndpointTemplate?
    package var deviceAuthorizationEndpoint: EndpointTemplate?
    package var userinfoEndpoint: EndpointTemplate?
    package var revocation: ProviderRevocation?
    /// Whether it takes a proof key (RFC 7636); a few refuse requests that have one.
    package var takesProofKey = true
    /// Whether its page shows the authorization code to copy.
    package var displaysCode = false
    /// The address of that page, where clients are registered with it.
    package var redirectURI: String?
    /// The page where clients are registered.
    package var console: EndpointURL?
    /// The scope asked for where nobody told one.
    package var defaultScope = Scope([])
    /// The scope asked for besides, as without it there is no refresh token.
    package var refreshTokenScope = Scope([])
    /// Parameters of each authorization request.
    package var authorizationParameters: [RequestParameter] = []
    /// Parameters of each exchange of a code.
    package var tokenParameters: [RequestParameter] = []

    package init() {}
}

extension ProviderSignIn: Codable {
    package enum CodingKeys: String, CodingKey, CaseIterable {
        case issuer
        case authorizationEndpoint = "authorization_endpoint"
        case deviceAuthorizationEndpoint = "device_authorization_endpoint"
        case userinfoEndpoint = "userinfo_endpoint"
        case revocation
        case takesProofKey = "pkce"
        case displaysCode = "displays_code"
        case redirectURI = "redirect_uri"
        case console
        case defaultScope = "default_scope"
        case refreshTokenScope = "refresh_token_scope"
        case authorizationParameters = "authorization_parameters"
        case tokenParameters = "token_parameters"
    }

    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        issuer = try members.template(.issuer)
        authorizationEndpoint = try members.template(.authorizationEndpoint)
        deviceAuthorizationEndpoint = try members.template(.deviceAuthorizationEndpoint)
        userinfoEndpoint = try members.template(.userinfoEndpoint)
        revocation = try members.decodeIfPresent(ProviderRevocation.self, forKey: .revocation)
        takesProofKey = try members.decodeIfPresent(Bool.self, forKey: .takesProofKey) ?? true
        displaysCode = try members.decodeIfPresent(Bool.self, forKey: .displaysCode) ?? false
        redirectURI = try members.text(.redirectURI).map { text in
            guard Self.isPage(text) else {
                throw members.unfit(.redirectURI, "an https address or \(Self.outOfBand)")
            }
            return text
        }
        console = try members.address(.console)
        defaultScope = try members.scope(.defaultScope)
        refreshTokenScope = try members.scope(.refreshTokenScope)
        authorizationParameters = try members.parameters(.authorizationParameters)
        tokenParameters = try members.parameters(.tokenParameters)
    }

    /// What clients are registered with where the page has no address of its own.
    private static let outOfBand = "urn:ietf:wg:oauth:2.0:oob"

    private static func isPage(_ text: String) -> Bool {
        text == outOfBand || text.hasPrefix("https://") && (try? EndpointURL(text)) != nil
    }

    package func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encodeIfPresent(issuer?.text, forKey: .issuer)
        try members.encodeIfPresent(authorizationEndpoint?.text, forKey: .authorizationEndpoint)
        try members.encodeIfPresent(
            deviceAuthorizationEndpoint?.text,
            forKey: .deviceAuthorizationEndpoint
        )
        try members.encodeIfPresent(userinfoEndpoint?.text, forKey: .userinfoEndpoint)
        try members.encodeIfPresent(revocation, forKey: .revocation)
        if !takesProofKey { try members.encode(false, forKey: .takesProofKey) }
        if displaysCode { try members.encode(true, forKey: .displaysCode) }
        try members.encodeIfPresent(redirectURI, forKey: .redirectURI)
        try members.encodeIfPresent(console?.string, forKey: .console)
        try members.encode(defaultScope, unlessEmpty: .defaultScope)
        try members.encode(refreshTokenScope, unlessEmpty: .refreshTokenScope)
        try members.encode(authorizationParameters, unlessEmpty: .authorizationParameters)
        try members.encode(tokenParameters, unlessEmpty: .tokenParameters)
    }
}
