package import VaultCrypto

/// Builds the request that ends a token (RFC 7009 §2.1).
package enum RevocationRequest {
    /// Seconds that a server gets for it: a person waits.
    private static let deadline = 20.0

    /// What kind of token is sent; a server may look for the other kind all the same.
    package enum TokenTypeHint: String, Sendable {
        case accessToken = "access_token"
        case refreshToken = "refresh_token"
    }

    /// Presents a token to be revoked, with the client authenticated as at the token endpoint.
    package static func make(
        _ token: Secret,
        hint: TokenTypeHint,
        client: Client,
        endpoint: EndpointURL
    ) -> HTTPRequest {
        let parameters =
            [(name: "token", value: token), ("token_type_hint", Secret(hint.rawValue))]
            + client.bodyParameters
        var headers = [
            HTTPHeader("Accept", "application/json"),
            HTTPHeader("Content-Type", TokenRequest.BodyFormat.form.mediaType),
        ]
        if let authorization = client.basicAuthorization {
            headers.append(HTTPHeader("Authorization", authorization))
        }
        return HTTPRequest(
            .post,
            endpoint,
            headers: headers,
            body: FormEncoding.body(parameters),
            deadline: deadline
        )
    }
}
