package import FoundationEssentials
package import VaultCrypto

/// What the userinfo endpoint says of who signed in (OpenID Connect Core 1.0 §5.3).
package enum UserInfo {
    private static let deadline = 10.0
    private static let maximumBytes = 1 << 18

    /// Asks with an access token that was granted for `openid`.
    package static func request(_ accessToken: Secret, endpoint: EndpointURL) -> HTTPRequest {
        HTTPRequest(
            .get,
            endpoint,
            headers: [
                HTTPHeader("Accept", "application/json"),
                HTTPHeader("Authorization", accessToken.reveal { Secret("Bearer \($0)") }),
            ],
            deadline: deadline,
            maximumBodyBytes: maximumBytes
        )
    }

    /// The identity in an answer; nil for one that says nothing, as a signed one does here.
    package static func identity(in response: HTTPResponse) -> Identity? {
        guard (200..<300).contains(response.status) else { return nil }
        let document = JSONReader.read(response.body)
        guard document.isComplete, let claims = document.value.object else { return nil }
        return Identity(claims: claims)
    }
}

extension Identity {
    /// Who signed in: by the ID token, and by userinfo where that says more.
    ///
    /// - Parameters:
    ///   - response: The token endpoint's answer to the sign-in.
    ///   - metadata: What the server publishes.
    ///   - client: The client that signed in.
    ///   - nonce: The value of the authorization request; nil where none was sent.
    ///   - requestedScope: What was asked for.
    ///   - now: The wall clock.
    ///   - transport: How userinfo is reached.
    /// - Returns: The identity; nil where nobody says, which costs nobody the sign-in.
    package static func find(
        in response: TokenResponse,
        of metadata: AuthorizationServerMetadata,
        client: ClientID,
        nonce: Secret?,
        requestedScope: Scope,
        at now: Date,
        using transport: any HTTPTransport
    ) async -> Identity? {
        let stated = response.idToken.flatMap { token in
            try? IDToken.identity(
                in: token,
                issuer: metadata.issuer,
                client: client,
                nonce: nonce,
                at: now
            )
        }
        let scope = response.scope ?? requestedScope
        guard stated?.name == nil, scope.contains("openid"),
            let endpoint = metadata.userinfoEndpoint,
            let answer = try? await transport.send(
                UserInfo.request(response.accessToken, endpoint: endpoint)
            ),
            let told = UserInfo.identity(in: answer)
        else { return stated }
        // Of another person it says nothing (OpenID Connect Core 1.0 §5.3.2).
        return stated.map { $0.subject == told.subject ? told : $0 } ?? told
    }
}
