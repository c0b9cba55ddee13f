package import VaultCrypto

/// Builds the request that ends a token (RFC 7009 §2.1), in the form that its provider takes.
package enum RevocationRequest {
    /// Seconds that a server gets for it: a person waits.
    private static let deadline = 20.0

    /// What kind of token is sent; a server may look for the other kind all the same.
    package enum TokenTypeHint: String, Sendable {
        case accessToken = "access_token"
        case refreshToken = "refresh_token"
    }

    /// What one form has in the body, and as the credentials.
    private typealias Parts = (parameters: [(name: String, value: Secret)], credentials: Secret?)

    /// Presents a token to be revoked; in the forms of RFC 7009 the client authenticates as at the
    /// token endpoint.
    ///
    /// - Parameters:
    ///   - token: The token; an access token for a form that takes nothing else.
    ///   - hint: Which kind it is.
    ///   - client: The client that it was issued to.
    ///   - endpoint: Where it is revoked.
    ///   - form: How it is handed in.
    ///   - format: How the endpoint wants its parameters.
    /// - Returns: What to send.
    package static func make(
        _ token: Secret,
        hint: TokenTypeHint,
        client: Client,
        endpoint: EndpointURL,
        form: ProviderRevocation.Form = .standard,
        format: TokenRequest.BodyFormat = .form
    ) -> HTTPRequest {
        let (parameters, credentials) = parts(token, hint, client, form)
        var headers = [
            HTTPHeader("Accept", "application/json"),
            HTTPHeader("Content-Type", format.mediaType),
        ]
        if let credentials { headers.append(HTTPHeader("Authorization", credentials)) }
        return HTTPRequest(
            .post,
            endpoint,
            headers: headers,
            body: format.body(parameters),
            deadline: deadline
        )
    }

    private static func parts(
        _ token: Secret,
        _ hint: TokenTypeHint,
        _ client: Client,
        _ form: ProviderRevocation.Form
    ) -> Parts {
        let handedIn = [(name: "token", value: token), ("token_type_hint", Secret(hint.rawValue))]
        return switch form {
        case .standard: (handedIn + client.bodyParameters, client.basicAuthorization)
        // A secret that is not asked for stays here.
        case .clientID: (handedIn + Client(id: client.id).bodyParameters, nil)
        case .accessToken: ([(name: "access_token", value: token)], nil)
        case .bearer: ([], token.reveal { Secret("Bearer \($0)") })
        }
    }
}
