extension ProviderCatalogue {
    /// One provider.
    package struct Entry: Sendable, Hashable {
        /// What people call it.
        package var title: String
        /// Hosts of its token endpoint, `*.` for any name below: a suggestion, never a reason to
        /// send anything there.
        package var hosts: [String]
        /// The token endpoint, where all accounts have the same.
        package var tokenEndpoint: EndpointURL?
        /// How clients prove themselves, where there is one way.
        package var clientAuthentication: ClientAuthentication?
        /// What it does with used refresh tokens.
        package var rotation: RefreshTokenRotation?
        /// Where refreshes go, if not to the token endpoint.
        package var refreshEndpoint: EndpointURL?
        /// Parameters of each refresh.
        package var refreshParameters: [RequestParameter]
        /// Whether a refresh has to name the scope.
        package var sendsScope: Bool
        /// Seconds that an access token is taken to last when nothing tells.
        package var accessTokenLifetime: Double?
        /// Seconds before an access token's end; a refresh that comes sooner is refused.
        package var refreshLead: Double?
        /// Seconds until its resource servers know a new access token: a 401 before says nothing.
        package var settlingTime: Double?
        /// Seconds that a refresh token lasts unused.
        package var refreshTokenIdleLifetime: Double?
        /// Seconds that a refresh token lasts from the sign-in, however often it is used.
        package var refreshTokenLifetime: Double?
        /// How many token requests a client may send, where that is limited.
        package var tokenRequests: RequestLimit?
        /// Where its token endpoint departs from RFC 6749.
        package var quirks: ProviderQuirks
    }
}

extension ProviderCatalogue.Entry: Decodable {
    private enum CodingKeys: String, CodingKey, CaseIterable {
        case title
        case hosts
        case tokenEndpoint = "token_endpoint"
        case clientAuthentication = "client_authentication"
        case rotation
        case refreshEndpoint = "refresh_endpoint"
        case refreshParameters = "refresh_parameters"
        case sendsScope = "sends_scope"
        case accessTokenLifetime = "access_token_lifetime"
        case refreshLead = "refresh_lead"
        case settlingTime = "settling_time"
        case refreshTokenIdleLifetime = "refresh_token_idle_lifetime"
        case refreshTokenLifetime = "refresh_token_lifetime"
        case tokenRequests = "token_requests"
        case quirks
    }

    /// The names of all members.
    package static var memberNames: Set<String> { Set(CodingKeys.allCases.map(\.rawValue)) }

    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        func address(_ key: CodingKeys) throws -> EndpointURL? {
            try members.decodeIfPresent(String.self, forKey: key).map { try EndpointURL($0) }
        }
        title = try members.decode(String.self, forKey: .title)
        hosts = try members.decodeIfPresent([String].self, forKey: .hosts) ?? []
        tokenEndpoint = try address(.tokenEndpoint)
        clientAuthentication = try members.decodeIfPresent(
            ClientAuthentication.self,
            forKey: .clientAuthentication
        )
        rotation = try members.decodeIfPresent(String.self, forKey: .rotation).map { text in
            guard let rotation = RefreshTokenRotation(text) else {
                throw DecodingError.dataCorruptedError(
                    forKey: .rotation,
                    in: members,
                    debugDescription: "no kind of rotation"
                )
            }
            return rotation
        }
        refreshEndpoint = try address(.refreshEndpoint)
        refreshParameters =
            try members.decodeIfPresent([String: String].self, forKey: .refreshParameters)?
            .sorted { $0.key < $1.key }.map { RequestParameter($0.key, $0.value) } ?? []
        sendsScope = try members.decodeIfPresent(Bool.self, forKey: .sendsScope) ?? false
        accessTokenLifetime = try members.decodeIfPresent(Double.self, forKey: .accessTokenLifetime)
        refreshLead = try members.decodeIfPresent(Double.self, forKey: .refreshLead)
        settlingTime = try members.decodeIfPresent(Double.self, forKey: .settlingTime)
        refreshTokenIdleLifetime = try members.decodeIfPresent(
            Double.self,
            forKey: .refreshTokenIdleLifetime
        )
        refreshTokenLifetime = try members.decodeIfPresent(
            Double.self,
            forKey: .refreshTokenLifetime
        )
        tokenRequests = try members.decodeIfPresent(RequestLimit.self, forKey: .tokenRequests)
        quirks =
            try members.decodeIfPresent(ProviderQuirks.self, forKey: .quirks) ?? ProviderQuirks()
    }
}

extension ProviderCatalogue.Entry {
    package func isRecognised(host: String) -> Bool {
        hosts.contains { known in
            known.hasPrefix("*.") ? host.hasSuffix(known.dropFirst()) : host == known
        }
    }
}

// MARK: - Filling in

extension ProviderCatalogue.Entry {
    /// Options with what the entry says of that which nobody told.
    ///
    /// Its refresh endpoint goes with its token endpoint: a refresh token for another server is
    /// nothing to send there.
    package func complete(_ told: RefreshOptions, tokenEndpoint: EndpointURL) -> RefreshOptions {
        var options = told
        options.rotation = told.rotation ?? rotation
        let names = Set(told.parameters.map(\.name))
        options.parameters += refreshParameters.filter { !names.contains($0.name) }
        options.sendsScope = told.sendsScope || sendsScope
        if tokenEndpoint == self.tokenEndpoint {
            options.endpoint = told.endpoint ?? refreshEndpoint
        }
        return options
    }
}
