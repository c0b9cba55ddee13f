extension ProviderCatalogue {
    /// One provider.
    package struct Entry: Sendable, Hashable {
        /// What people call it.
        package var title: String
        /// Hosts of its endpoints, `*.` for any name below: a suggestion, never a reason to send
        /// anything there.
        package var hosts: [String]
        /// What the names in its endpoints stand for, in words.
        package var parameters: [String: String]
        /// The token endpoint, perhaps with names that a person fills in.
        package var tokenTemplate: EndpointTemplate?
        /// What a sign-in needs.
        package var signIn: ProviderSignIn
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
        /// Where all this was read.
        package var sources: [String]
    }
}

extension ProviderCatalogue.Entry {
    /// The token endpoint, where all accounts have the same.
    package var tokenEndpoint: EndpointURL? { tokenTemplate?.url }

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

    /// The scope to ask for: what was told or is usual, and what a refresh token needs.
    package func scope(_ told: Scope) -> Scope {
        let asked = told.isEmpty ? signIn.defaultScope : told
        return Scope(asked.names + signIn.refreshTokenScope.names)
    }
}
