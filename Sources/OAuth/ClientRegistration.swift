package import FoundationEssentials
internal import VaultCrypto

/// Registers a native application at an authorization server that lets anybody do so (RFC 7591).
package enum ClientRegistration {
    /// What a request for a registration comes to.
    package enum Answer: Sendable {
        case registered(Client)
        case refused(TokenEndpointError)
    }

    /// Asks for a registration (RFC 7591 §3.1).
    ///
    /// - Parameters:
    ///   - endpoint: The registration endpoint.
    ///   - name: What a resource owner is shown.
    ///   - redirectURIs: Where answers to the client go; none for a device.
    ///   - grantTypes: What the client will present.
    ///   - authentication: How it will prove itself.
    ///   - scope: The scope it will ask for; left out where that is empty.
    /// - Returns: What to send, once.
    package static func request(
        at endpoint: EndpointURL,
        name: String,
        redirectURIs: [String],
        grantTypes: [GrantType],
        authentication: ClientAuthentication,
        scope: Scope
    ) -> HTTPRequest {
        var members: [String: JSONValue] = [
            "client_name": .string(Secret(name)),
            "application_type": .string(Secret("native")),
            "grant_types": texts(grantTypes.map(\.rawValue)),
            "token_endpoint_auth_method": .string(Secret(authentication.rawValue)),
            "response_types": texts(grantTypes.contains(.authorizationCode) ? ["code"] : []),
        ]
        if !redirectURIs.isEmpty { members["redirect_uris"] = texts(redirectURIs) }
        if !scope.isEmpty {
            members["scope"] = .string(Secret(scope.names.joined(separator: " ")))
        }
        return HTTPRequest(
            .post,
            endpoint,
            headers: [
                HTTPHeader("Accept", "application/json"),
                HTTPHeader("Content-Type", "application/json"),
            ],
            body: JSONText.encode(.object(JSONObject(members)))
        )
    }

    private static func texts(_ texts: [String]) -> JSONValue {
        .array(texts.map { .string(Secret($0)) })
    }

    /// Reads what came back (RFC 7591 §3.2).
    ///
    /// The server has the last word on how the client proves itself; where it says nothing, a secret
    /// goes by Basic. `start` is the moment that a `Retry-After` counts from.
    package static func read(_ response: HTTPResponse, countingFrom start: Date) -> Answer {
        let document = JSONReader.read(response.body)
        guard (200..<300).contains(response.status), document.isComplete,
            let members = document.value.object, let id = members["client_id"]?.secret,
            !id.isEmpty, id.isPrintable
        else { return .refused(TokenEndpointError(response, countingFrom: start)) }
        let secret = members["client_secret"]?.secret.flatMap { $0.isEmpty ? nil : $0 }
        let told = members["token_endpoint_auth_method"]?.text
            .flatMap { ClientAuthentication(rawValue: $0) }
        let authentication = told ?? (secret == nil ? .none : .clientSecretBasic)
        let identifier = ClientID(rawValue: id.reveal { $0 })
        guard authentication != .none else { return .registered(Client(id: identifier)) }
        guard let secret, secret.isPrintable else {
            return .refused(
                TokenEndpointError(class: .ambiguous(.malformed), status: response.status)
            )
        }
        return .registered(Client(id: identifier, secret: secret, authentication: authentication))
    }
}
