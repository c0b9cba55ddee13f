extension ProviderCatalogue.Entry: Codable {
    private enum CodingKeys: String, CodingKey, CaseIterable {
        case title
        case hosts
        case parameters
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
        case sources
    }

    /// The names of all members.
    package static var memberNames: Set<String> {
        Set(CodingKeys.allCases.map(\.rawValue))
            .union(ProviderSignIn.CodingKeys.allCases.map(\.rawValue))
    }

    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        title = try members.decode(String.self, forKey: .title)
        hosts = try members.decodeIfPresent([String].self, forKey: .hosts) ?? []
        parameters =
            try members.decodeIfPresent([String: String].self, forKey: .parameters) ?? [:]
        tokenTemplate = try members.template(.tokenEndpoint)
        signIn = try ProviderSignIn(from: decoder)
        clientAuthentication = try members.decodeIfPresent(
            ClientAuthentication.self,
            forKey: .clientAuthentication
        )
        rotation = try members.text(.rotation).map { text in
            guard let rotation = RefreshTokenRotation(text) else {
                throw members.unfit(.rotation, "none, overlap, grace:SECONDS, strict or unknown")
            }
            return rotation
        }
        refreshEndpoint = try members.address(.refreshEndpoint)
        refreshParameters = try members.parameters(.refreshParameters)
        sendsScope = try members.decodeIfPresent(Bool.self, forKey: .sendsScope) ?? false
        accessTokenLifetime = try members.seconds(.accessTokenLifetime)
        refreshLead = try members.seconds(.refreshLead)
        settlingTime = try members.seconds(.settlingTime)
        refreshTokenIdleLifetime = try members.seconds(.refreshTokenIdleLifetime)
        refreshTokenLifetime = try members.seconds(.refreshTokenLifetime)
        tokenRequests = try members.decodeIfPresent(RequestLimit.self, forKey: .tokenRequests)
        quirks =
            try members.decodeIfPresent(ProviderQuirks.self, forKey: .quirks) ?? ProviderQuirks()
        sources = try members.decodeIfPresent([String].self, forKey: .sources) ?? []
        if let problem = signInProblem {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(codingPath: decoder.codingPath, debugDescription: problem)
            )
        }
    }

    /// What is missing of what belongs together, in words.
    private var signInProblem: String? {
        let templates = templates
        guard Set(templates.flatMap(\.names)) == Set(parameters.keys) else {
            return "an entry whose parameters are the names in braces of its endpoints"
        }
        guard signIn.displaysCode || signIn.redirectURI == nil else {
            return "an entry that displays the code, as it has a redirect_uri of its own"
        }
        // Nothing else binds a code to a sign-in that comes without its state.
        guard !signIn.displaysCode || signIn.takesProofKey else {
            return "an entry that takes a proof key, as it displays the code"
        }
        guard hosts.isEmpty, templates.contains(where: \.hasLabel) else { return nil }
        return "an entry with hosts, as one of its hosts has a name in braces"
    }

    package func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(title, forKey: .title)
        if !hosts.isEmpty { try members.encode(hosts, forKey: .hosts) }
        if !parameters.isEmpty { try members.encode(parameters, forKey: .parameters) }
        try members.encodeIfPresent(tokenTemplate?.text, forKey: .tokenEndpoint)
        try signIn.encode(to: encoder)
        try members.encodeIfPresent(clientAuthentication, forKey: .clientAuthentication)
        try members.encodeIfPresent(rotation?.description, forKey: .rotation)
        try members.encodeIfPresent(refreshEndpoint?.string, forKey: .refreshEndpoint)
        try members.encode(refreshParameters, unlessEmpty: .refreshParameters)
        if sendsScope { try members.encode(true, forKey: .sendsScope) }
        try members.encodeIfPresent(accessTokenLifetime, forKey: .accessTokenLifetime)
        try members.encodeIfPresent(refreshLead, forKey: .refreshLead)
        try members.encodeIfPresent(settlingTime, forKey: .settlingTime)
        try members.encodeIfPresent(
            refreshTokenIdleLifetime,
            forKey: .refreshTokenIdleLifetime
        )
        try members.encodeIfPresent(refreshTokenLifetime, forKey: .refreshTokenLifetime)
        try members.encodeIfPresent(tokenRequests, forKey: .tokenRequests)
        if quirks != ProviderQuirks() { try members.encode(quirks, forKey: .quirks) }
        if !sources.isEmpty { try members.encode(sources, forKey: .sources) }
    }
}
