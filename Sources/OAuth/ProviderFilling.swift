extension ProviderCatalogue.Entry {
    /// Every endpoint that may have names to fill in.
    var templates: [EndpointTemplate] {
        [
            tokenTemplate, signIn.issuer, signIn.authorizationEndpoint,
            signIn.deviceAuthorizationEndpoint, signIn.userinfoEndpoint,
            signIn.revocation?.endpoint,
        ].compactMap(\.self)
    }

    /// The hosts that its endpoints have in any case.
    package var fixedHosts: Set<String> {
        Set(templates.compactMap(\.fixedHost) + [refreshEndpoint?.host].compactMap(\.self))
    }

    /// The entry for one account: with what was told in place of the names in its endpoints.
    ///
    /// - Throws: ``ProviderParameterError`` for a name that is missing, unknown or leads elsewhere.
    package func filled(
        _ values: [String: String]
    ) throws(ProviderParameterError) -> ProviderCatalogue.Entry {
        if let stray = values.keys.filter({ parameters[$0] == nil }).min() {
            throw .unknown(stray)
        }
        if let missing = parameters.keys.filter({ values[$0] == nil }).min() {
            throw .missing(missing)
        }
        var entry = self
        entry.parameters = [:]
        entry.tokenTemplate = try filled(tokenTemplate, values)
        entry.signIn.issuer = try filled(signIn.issuer, values)
        entry.signIn.authorizationEndpoint = try filled(signIn.authorizationEndpoint, values)
        entry.signIn.deviceAuthorizationEndpoint = try filled(
            signIn.deviceAuthorizationEndpoint,
            values
        )
        entry.signIn.userinfoEndpoint = try filled(signIn.userinfoEndpoint, values)
        if let revocation = signIn.revocation {
            let endpoint = try revocation.endpoint.filled(values, hosts: hosts)
            entry.signIn.revocation = ProviderRevocation(endpoint: endpoint, form: revocation.form)
        }
        return entry
    }

    private func filled(
        _ template: EndpointTemplate?,
        _ values: [String: String]
    ) throws(ProviderParameterError) -> EndpointTemplate? {
        guard let template else { return nil }
        return try template.filled(values, hosts: hosts)
    }

    /// What discovery would have found, from an entry that is filled in; nil where that needs
    /// discovery.
    package var metadata: AuthorizationServerMetadata? {
        guard let tokenEndpoint else { return nil }
        var endpoints: [EndpointName: EndpointURL] = [:]
        endpoints[.authorization] = signIn.authorizationEndpoint?.url
        endpoints[.deviceAuthorization] = signIn.deviceAuthorizationEndpoint?.url
        guard !endpoints.isEmpty else { return nil }
        endpoints[.revocation] = signIn.revocation?.endpoint.url
        endpoints[.userinfo] = signIn.userinfoEndpoint?.url
        // Where every tenant is told another issuer, none is there to compare with.
        let issuer = quirks.issuerTemplate == nil ? signIn.issuer?.text : nil
        var metadata = AuthorizationServerMetadata(
            issuer: issuer,
            endpoints: endpoints,
            token: tokenEndpoint
        )
        metadata.revocationForm = signIn.revocation?.form ?? .standard
        return metadata
    }

    /// How tokens of a token endpoint are taken back: where that is the entry's own, as no token goes
    /// to anybody else.
    package func revocation(
        at tokenEndpoint: EndpointURL
    ) -> (endpoint: EndpointURL, form: ProviderRevocation.Form)? {
        guard self.tokenEndpoint == tokenEndpoint, let revocation = signIn.revocation,
            let endpoint = revocation.endpoint.url
        else { return nil }
        return (endpoint, revocation.form)
    }
}
