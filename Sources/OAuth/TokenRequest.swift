package import VaultCrypto

/// Builds the requests of RFC 6749 to a token endpoint.
///
/// The client authenticates in one place only, as configured: probing a second style would spend a
/// refresh token or a code twice.
package enum TokenRequest {
    /// How a token endpoint wants its parameters.
    package enum BodyFormat: String, Sendable, Hashable, Codable {
        case form
        case json
    }

    /// Presents a refresh token (RFC 6749 §6).
    package static func refresh(
        _ refreshToken: Secret,
        client: Client,
        endpoint: EndpointURL,
        scope: Scope? = nil,
        scopeSeparator: String = " ",
        extra: [(String, String)] = [],
        format: BodyFormat = .form
    ) -> HTTPRequest {
        make(
            .refreshToken,
            [("refresh_token", refreshToken)],
            client,
            endpoint,
            scope: scope,
            scopeSeparator: scopeSeparator,
            extra: extra,
            format: format
        )
    }

    /// Presents an authorization code with its proof (RFC 6749 §4.1.3, RFC 7636 §4.5).
    package static func authorizationCode(
        _ code: Secret,
        redirectURI: String,
        codeVerifier: Secret?,
        client: Client,
        endpoint: EndpointURL,
        extra: [(String, String)] = [],
        format: BodyFormat = .form
    ) -> HTTPRequest {
        make(
            .authorizationCode,
            [("code", code), ("redirect_uri", Secret(redirectURI))]
                + (codeVerifier.map { [("code_verifier", $0)] } ?? []),
            client,
            endpoint,
            extra: extra,
            format: format
        )
    }

    /// Presents nothing but the client (RFC 6749 §4.4.2).
    package static func clientCredentials(
        client: Client,
        endpoint: EndpointURL,
        scope: Scope? = nil,
        scopeSeparator: String = " ",
        extra: [(String, String)] = [],
        format: BodyFormat = .form
    ) -> HTTPRequest {
        make(
            .clientCredentials,
            [],
            client,
            endpoint,
            scope: scope,
            scopeSeparator: scopeSeparator,
            extra: extra,
            format: format
        )
    }

    /// Asks whether a device code has been approved (RFC 8628 §3.4).
    package static func deviceCode(
        _ deviceCode: Secret,
        client: Client,
        endpoint: EndpointURL,
        extra: [(String, String)] = [],
        format: BodyFormat = .form
    ) -> HTTPRequest {
        make(
            .deviceCode,
            [("device_code", deviceCode)],
            client,
            endpoint,
            extra: extra,
            format: format
        )
    }

    private static func make(
        _ grantType: GrantType,
        _ grant: [(name: String, value: Secret)],
        _ client: Client,
        _ endpoint: EndpointURL,
        scope: Scope? = nil,
        scopeSeparator: String = " ",
        extra: [(String, String)],
        format: BodyFormat
    ) -> HTTPRequest {
        var parameters = [(name: "grant_type", value: Secret(grantType.rawValue))] + grant
        if let scope, !scope.isEmpty {
            parameters.append(("scope", Secret(scope.names.joined(separator: scopeSeparator))))
        }
        parameters += client.bodyParameters
        // What a provider adds may replace a parameter: some name the grant type otherwise. It
        // replaces neither the grant nor who the client is.
        let added = extra.filter { RequestParameter.mayBeNamed($0.0) }
        parameters.removeAll { parameter in added.contains { $0.0 == parameter.name } }
        parameters += added.map { (name: $0.0, value: Secret($0.1)) }

        var headers = [
            HTTPHeader("Accept", "application/json"),
            HTTPHeader("Content-Type", format.mediaType),
        ]
        if let authorization = client.basicAuthorization {
            headers.append(HTTPHeader("Authorization", authorization))
        }
        return HTTPRequest(.post, endpoint, headers: headers, body: format.body(parameters))
    }
}

extension TokenRequest.BodyFormat {
    var mediaType: String {
        switch self {
        case .form: "application/x-www-form-urlencoded"
        case .json: "application/json"
        }
    }

    func body(_ parameters: [(name: String, value: Secret)]) -> Secret {
        switch self {
        case .form: FormEncoding.body(parameters)
        case .json: JSONText.object(parameters)
        }
    }
}

extension Client {
    /// What the body says about the client; nothing beside Basic, as some servers refuse both.
    var bodyParameters: [(name: String, value: Secret)] {
        let identifier = (name: "client_id", value: Secret(id.rawValue))
        switch authentication {
        case .clientSecretBasic: return []
        case .none: return [identifier]
        case .clientSecretPost:
            guard let secret, !secret.isEmpty else { return [identifier] }
            return [identifier, ("client_secret", secret)]
        }
    }

    /// The Basic credentials, both parts form-encoded first (RFC 6749 §2.3.1).
    var basicAuthorization: Secret? {
        guard authentication == .clientSecretBasic else { return nil }
        let encodedSecret = secret.map { FormEncoding.encode($0) } ?? []
        let pair = FormEncoding.encode(Secret(id.rawValue)) + [UInt8(ascii: ":")] + encodedSecret
        return Secret(bytes: Array("Basic ".utf8) + Base64.encode(pair))
    }
}
