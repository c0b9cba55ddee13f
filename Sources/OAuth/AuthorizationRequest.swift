package import VaultCrypto

/// Sends the resource owner to sign in (RFC 6749 §4.1.1).
package struct AuthorizationRequest: Sendable {
    /// Comes back with the redirect.
    package let state: Secret
    /// Comes back in the ID token; sent whenever OpenID Connect is asked for, as some servers insist.
    package let nonce: Secret?
    /// What the external user-agent opens.
    package let url: EndpointURL

    /// A request with the values it is to carry.
    ///
    /// - Parameters:
    ///   - endpoint: The authorization endpoint; a query it has is kept.
    ///   - clientID: The client.
    ///   - redirectURI: Where the answer goes, as registered.
    ///   - scope: The scope asked for.
    ///   - scopeSeparator: Between the names of the scope; a few providers want a comma.
    ///   - codeChallenge: The challenge of the proof key; nil for a server that takes none.
    ///   - extra: Parameters of the provider's own; they replace none of the standard ones.
    ///   - state: The value that ties the answer to this request.
    ///   - nonce: The value that ties an ID token to this request.
    package init(
        endpoint: EndpointURL,
        clientID: ClientID,
        redirectURI: String,
        scope: Scope,
        scopeSeparator: String = " ",
        codeChallenge: String?,
        extra: [(String, String)] = [],
        state: Secret = .randomText(),
        nonce: Secret = .randomText()
    ) {
        self.state = state
        self.nonce = scope.contains("openid") ? nonce : nil
        var parameters = [
            ("response_type", "code"), ("client_id", clientID.rawValue),
            ("redirect_uri", redirectURI), ("state", state.reveal { $0 }),
        ]
        if let codeChallenge {
            parameters += [
                ("code_challenge", codeChallenge),
                ("code_challenge_method", ProofKey.codeChallengeMethod),
            ]
        }
        if !scope.isEmpty {
            parameters.append(("scope", scope.names.joined(separator: scopeSeparator)))
        }
        if let nonce = self.nonce { parameters.append(("nonce", nonce.reveal { $0 })) }
        let taken = Set(parameters.map(\.0))
        parameters += extra.filter { !taken.contains($0.0) }
        url = Self.append(parameters, to: endpoint)
    }

    private static func append(
        _ parameters: [(String, String)],
        to endpoint: EndpointURL
    ) -> EndpointURL {
        // A blank as %20 is read alike by readers of forms and of plain URLs.
        let encode = { (text: String) in FormEncoding.encode(text).replacing("+", with: "%20") }
        let query = parameters.map { "\(encode($0.0))=\(encode($0.1))" }.joined(separator: "&")
        let mark =
            switch endpoint.query {
            case nil: "?"
            case "": ""
            default: "&"
            }
        return EndpointURL(unchecked: endpoint.string + mark + query)
    }
}
