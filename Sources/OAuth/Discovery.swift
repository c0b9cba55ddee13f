internal import VaultCrypto

extension AuthorizationServerMetadata {
    /// Finds and reads an authorization server's document.
    ///
    /// A place that fails for the moment ends the search: going on could find the document of
    /// another protocol and pin its endpoints.
    ///
    /// - Parameters:
    ///   - issuer: The issuer; blanks around it and a missing `https://` are forgiven.
    ///   - grantType: The grant whose endpoint must be there, beside the token endpoint.
    ///   - issuerTemplate: An issuer text that a multi-tenant server states in place of its own.
    ///   - transport: What sends the requests.
    /// - Returns: The metadata, its issuer compared.
    /// - Throws: ``DiscoveryError``
    public static func discover(
        issuer: String,
        for grantType: GrantType? = nil,
        issuerTemplate: String? = nil,
        using transport: any HTTPTransport
    ) async throws(DiscoveryError) -> AuthorizationServerMetadata {
        let address = try IssuerAddress(issuer)
        var failure = DiscoveryError.notFound
        for place in address.documents {
            switch try await fetch(place, using: transport) {
            case .absent: break
            case .redirect: if failure == .notFound { failure = .redirected }
            case .unreadable: failure = .malformed
            case .document(let members):
                let document = DiscoveryDocument(members: members, source: place)
                return try document.metadata(
                    of: address,
                    issuerTemplate: issuerTemplate,
                    for: grantType
                )
            }
        }
        throw failure
    }

    private enum Finding {
        case absent
        case redirect
        case unreadable
        case document([String: JSONValue])
    }

    private static func fetch(
        _ place: EndpointURL,
        using transport: any HTTPTransport
    ) async throws(DiscoveryError) -> Finding {
        let request = HTTPRequest(
            .get,
            place,
            headers: [HTTPHeader("Accept", "application/json")],
            deadline: 15
        )
        let response: HTTPResponse
        do throws(HTTPTransportError) {
            response = try await transport.send(request)
        } catch {
            throw .unreachable(error)
        }
        switch response.status {
        case 200..<300:
            guard response.body.count <= request.maximumBodyBytes else { return .unreadable }
            let document = JSONReader.read(response.body)
            guard document.isComplete, let members = document.value.object else {
                return .unreadable
            }
            return .document(members)
        case 300..<400: return .redirect
        case 408, 425, 429, 500...: throw .unavailable(status: response.status)
        default: return .absent
        }
    }
}
