internal import VaultCrypto

/// The members of a discovery document, not yet believed.
struct DiscoveryDocument {
    let members: [String: JSONValue]
    let source: EndpointURL

    /// The metadata, once the issuer is the one asked for and every endpoint in use is safe.
    func metadata(
        of address: IssuerAddress,
        issuerTemplate: String?,
        for grantType: GrantType?
    ) throws(DiscoveryError) -> AuthorizationServerMetadata {
        guard let issuer = members["issuer"]?.text, !issuer.isEmpty else { throw .malformed }
        guard issuer == issuerTemplate || address.isSame(as: issuer) else { throw .issuerMismatch }
        let authorization = try endpoint(.authorization)
        let device = try endpoint(.deviceAuthorization)
        guard let token = try endpoint(.token) else { throw .endpointMissing(.token) }
        if grantType == .authorizationCode, authorization == nil {
            throw .endpointMissing(.authorization)
        }
        if grantType == .deviceCode, device == nil {
            throw .endpointMissing(.deviceAuthorization)
        }
        let methods = list("token_endpoint_auth_methods_supported")
        return AuthorizationServerMetadata(
            issuer: issuer,
            source: source,
            authorizationEndpoint: authorization,
            tokenEndpoint: token,
            deviceAuthorizationEndpoint: device,
            // A broken address of these costs their service, not the sign-in.
            revocationEndpoint: try? endpoint(.revocation),
            userinfoEndpoint: try? endpoint(.userinfo),
            registrationEndpoint: try? endpoint(.registration),
            authorizationResponseIssParameterSupported:
                members["authorization_response_iss_parameter_supported"]?.bool == true,
            codeChallengeMethodsSupported: list("code_challenge_methods_supported"),
            tokenEndpointAuthMethodsSupported: methods.isEmpty
                ? [ClientAuthentication.clientSecretBasic.rawValue] : methods,
            grantTypesSupported: list("grant_types_supported"),
            scopesSupported: list("scopes_supported"),
            mutualTLSAliases: try mutualTLSAliases()
        )
    }

    /// The endpoints of clients that show a certificate; the person goes where everybody goes.
    private func mutualTLSAliases() throws(DiscoveryError) -> [EndpointName: EndpointURL] {
        guard let members = members["mtls_endpoint_aliases"]?.object else { return [:] }
        let document = DiscoveryDocument(members: members, source: source)
        var aliases: [EndpointName: EndpointURL] = [:]
        for name in EndpointName.allCases where name != .authorization {
            aliases[name] = try document.endpoint(name)
        }
        return aliases
    }

    private func endpoint(_ name: EndpointName) throws(DiscoveryError) -> EndpointURL? {
        switch members[name.rawValue] {
        case nil, .null: return nil
        case .string(let secret):
            let text = secret.reveal { $0 }
            do throws(EndpointURLError) {
                return try EndpointURL(text)
            } catch {
                let isForeign = error == .insecure || error == .notHTTP && Self.hasScheme(text)
                throw isForeign ? .endpointInsecure(name) : .malformed
            }
        default: throw .malformed
        }
    }

    /// Whether a text is absolute: `file:`, `javascript:` and the like, not merely a path.
    private static func hasScheme(_ text: String) -> Bool {
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else { return false }
        return text.utf8.first?.isLetter == true
            && text.utf8[..<colon].allSatisfy {
                $0.isLetter || $0.isDigit || "+-.".utf8.contains($0)
            }
    }

    /// A list of names, also when it was written as text; anything else says nothing.
    private func list(_ name: String) -> [String] {
        switch members[name] {
        case .array(let elements): elements.compactMap(\.text)
        case .string(let text): text.reveal { Scope(parsing: $0).names }
        default: []
        }
    }
}
