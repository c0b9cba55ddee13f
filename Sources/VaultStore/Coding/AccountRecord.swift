internal import OAuth
package import VaultCrypto

/// The plaintext of an account record.
///
/// The names of its members are part of the file format: those that the first migration lists, and,
/// each left out where it says nothing,
///
///     "other_client_secret" taken when the client's secret is refused
///     "provider"            name in the provider catalogue, whose quirks apply
///     "own_provider"        the provider's entry as text, where it is not the catalogue's
///     "rotation"            unknown, none, overlap, grace:SECONDS or strict
///     "refresh_parameters"  [[NAME, VALUE]], added to each refresh
///     "sends_scope"         true when each refresh names the scope
///     "refresh_endpoint"    where refreshes go, if not to the token endpoint
///     "tags"                [TEXT], what it is found by
///     "renewal"             eager or manual, where it is not normal
///     "proxy"               address of the proxy that requests go through
///     "certificate_authorities"   PEM of those to trust, instead of the system's
///     "client_certificate"  [PATH, PATH] of the client's certificate and key
///     "authorization_parameters"  [[NAME, VALUE]], added to each authorization request
///     "revocation_endpoint" where its tokens are revoked
///     "revocation_form"     client_id, access_token or bearer, where it is not that of RFC 7009
///     "userinfo_endpoint"   where its server tells who signed in
///     "subject"             who signed in, by the server's own name
///     "subject_name"        what is shown of who signed in
///     "token_grant"         client_credentials or static, where it is not refresh_token
///     "sign_in_flow"        paste, device or client-credentials, where it is not browser
///     "device_authorization_endpoint"   where the device flow begins, where discovery does not say
package enum AccountRecord {
    package static func encode(_ settings: AccountSettings) -> Secret {
        record(of: settings).encoded
    }

    static func record(of settings: AccountSettings) -> SealedJSON {
        let scope = settings.requestedScope
        let refresh = settings.refresh
        return SealedJSON([
            "name": .text(settings.name.text),
            "client_id": .text(settings.client.id.rawValue),
            "client_secret": settings.client.secret.map { .string($0) },
            "other_client_secret": settings.otherSecret.map { .string($0) },
            "client_authentication": .text(settings.client.authentication.rawValue),
            "token_endpoint": .text(settings.tokenEndpoint.string),
            "authorization_endpoint": settings.authorizationEndpoint.map { .text($0.string) },
            "issuer": settings.issuer.map { .text($0) },
            "redirect_uri": settings.redirectURI.map { .text($0) },
            "proxy": NetworkMembers.proxy(settings.network),
            "certificate_authorities": NetworkMembers.authorities(settings.network),
            "client_certificate": NetworkMembers.certificate(settings.network),
            "authorization_parameters":
                RefreshParameters.value(of: settings.authorizationParameters),
            "revocation_endpoint": settings.revocationEndpoint.map { .text($0.string) },
            "revocation_form": settings.revocationForm == .standard
                ? nil : .text(settings.revocationForm.rawValue),
            "userinfo_endpoint": settings.userinfoEndpoint.map { .text($0.string) },
            "subject": settings.identity.map { .text($0.subject) },
            "subject_name": settings.identity?.name.map { .text($0) },
            "sign_in_flow": settings.signInFlow == .browser
                ? nil : .text(settings.signInFlow.rawValue),
            "device_authorization_endpoint":
                settings.deviceAuthorizationEndpoint.map { .text($0.string) },
            "scope": scope.isEmpty ? nil : .texts(scope.names),
            "provider": refresh.provider.map { .text($0) },
            "own_provider": OwnProviderRecord.value(of: settings.ownProvider),
            "rotation": refresh.rotation.map { .text($0.description) },
            "refresh_parameters": RefreshParameters.value(of: refresh.parameters),
            "sends_scope": refresh.sendsScope ? .bool(true) : nil,
            "refresh_endpoint": refresh.endpoint.map { .text($0.string) },
            "renewal": settings.renewal == .normal ? nil : .text(settings.renewal.rawValue),
            "token_grant": settings.grantKind == .refreshToken
                ? nil : .text(settings.grantKind.rawValue),
            "tags": settings.tags.isEmpty ? nil : .texts(settings.tags.sorted().map(\.text)),
        ])
    }

    /// Whether a record is that of a name, which is all that some look-ups need of it.
    static func isName(_ name: AccountName, in plaintext: Secret) throws(SealingError) -> Bool {
        if let isName = try? plaintext.withBytes({ (text) throws(UsualRecord.Unusual) in
            try UsualRecord.isName(name, in: text)
        }) {
            return isName
        }
        return try decode(plaintext).name == name
    }

    /// The settings; endpoints were checked before they were sealed.
    package static func decode(_ plaintext: Secret) throws(SealingError) -> AccountSettings {
        if let settings = try? plaintext.withBytes({ (text) throws(UsualRecord.Unusual) in
            try UsualRecord.settings(text)
        }) {
            return settings
        }
        return try settings(SealedJSON(decoding: plaintext))
    }

    static func settings(_ record: SealedJSON) throws(SealingError) -> AccountSettings {
        guard let name = AccountName(try record.text("name")),
            let authentication = ClientAuthentication(
                rawValue: try record.text("client_authentication")
            )
        else { throw SealingError() }
        var settings = AccountSettings(
            name: name,
            client: Client(
                id: ClientID(rawValue: try record.text("client_id")),
                secret: try record.optional("client_secret", SealedJSON.secret),
                authentication: authentication
            ),
            otherSecret: try record.optional("other_client_secret", SealedJSON.secret),
            tokenEndpoint: EndpointURL(unchecked: try record.text("token_endpoint")),
            authorizationEndpoint: try record.optional("authorization_endpoint", SealedJSON.text)
                .map { EndpointURL(unchecked: $0) },
            issuer: try record.optional("issuer", SealedJSON.text),
            redirectURI: try record.optional("redirect_uri", SealedJSON.text),
            requestedScope: Scope(try record.optional("scope", SealedJSON.texts) ?? []),
            refresh: try refresh(record),
            tags: try record.optional("tags", Self.tags) ?? [],
            renewal: try record.optional("renewal", Self.renewal) ?? .normal,
            grantKind: try record.optional("token_grant", Self.grantKind) ?? .refreshToken
        )
        settings.network = try NetworkMembers.read(record)
        settings.authorizationParameters =
            try record.optional("authorization_parameters", RefreshParameters.read) ?? []
        settings.revocationEndpoint = try record.optional("revocation_endpoint", SealedJSON.text)
            .map { EndpointURL(unchecked: $0) }
        settings.revocationForm = try record.optional("revocation_form", Self.form) ?? .standard
        settings.userinfoEndpoint = try record.optional("userinfo_endpoint", SealedJSON.text)
            .map { EndpointURL(unchecked: $0) }
        settings.identity = try identity(record)
        settings.ownProvider = try record.optional("own_provider", OwnProviderRecord.read)
        // One that only a newer program knows is asked for again, and costs nothing else.
        settings.signInFlow =
            try record.optional("sign_in_flow", SealedJSON.text)
            .flatMap { SignInFlow(rawValue: $0) } ?? .browser
        settings.deviceAuthorizationEndpoint =
            try record.optional("device_authorization_endpoint", SealedJSON.text)
            .map { EndpointURL(unchecked: $0) }
        return settings
    }

    private static func identity(_ record: SealedJSON) throws(SealingError) -> Identity? {
        guard let subject = try record.optional("subject", SealedJSON.text) else { return nil }
        let name = try record.optional("subject_name", SealedJSON.text)
        guard let identity = Identity(subject: subject, name: name) else { throw SealingError() }
        return identity
    }

    /// One that only a newer program knows makes the record unusable: it would be renewed against
    /// somebody's will.
    private static func renewal(
        _ record: SealedJSON
    ) -> (String) throws(SealingError) -> RenewalPolicy {
        { (name) throws(SealingError) in
            guard let policy = RenewalPolicy(rawValue: try record.text(name)) else {
                throw SealingError()
            }
            return policy
        }
    }

    /// One that only a newer program knows makes the record unusable: nobody here knows what to send.
    private static func grantKind(
        _ record: SealedJSON
    ) -> (String) throws(SealingError) -> GrantKind {
        { (name) throws(SealingError) in
            guard let kind = GrantKind(rawValue: try record.text(name)) else {
                throw SealingError()
            }
            return kind
        }
    }

    /// One that only a newer program knows makes the record unusable: a token would be handed in, and
    /// not revoked.
    private static func form(
        _ record: SealedJSON
    ) -> (String) throws(SealingError) -> ProviderRevocation.Form {
        { (name) throws(SealingError) in
            guard let form = ProviderRevocation.Form(rawValue: try record.text(name)) else {
                throw SealingError()
            }
            return form
        }
    }

    private static func tags(
        _ record: SealedJSON
    ) -> (String) throws(SealingError) -> Set<AccountTag> {
        { (name) throws(SealingError) in
            let texts = try record.texts(name)
            let tags = Set(texts.compactMap { AccountTag($0) })
            guard tags.count == texts.count, tags.count <= AccountTag.limit else {
                throw SealingError()
            }
            return tags
        }
    }

    private static func refresh(_ record: SealedJSON) throws(SealingError) -> RefreshOptions {
        let rotation = try record.optional("rotation", SealedJSON.text)
        let known = rotation.flatMap { RefreshTokenRotation($0) }
        guard (rotation == nil) == (known == nil) else { throw SealingError() }
        return RefreshOptions(
            provider: try record.optional("provider", SealedJSON.text),
            rotation: known,
            parameters: try record.optional("refresh_parameters", RefreshParameters.read) ?? [],
            sendsScope: try record.optional("sends_scope", SealedJSON.bool) ?? false,
            endpoint: try record.optional("refresh_endpoint", SealedJSON.text)
                .map { EndpointURL(unchecked: $0) }
        )
    }
}

/// Parameters in their order: each a list of name and value.
private enum RefreshParameters {
    static func value(of parameters: [RequestParameter]) -> JSONValue? {
        parameters.isEmpty ? nil : .array(parameters.map { .texts([$0.name, $0.value]) })
    }

    static func read(
        _ record: SealedJSON
    ) -> (String) throws(SealingError) -> [RequestParameter] {
        { (name) throws(SealingError) in
            guard let pairs = record[name]?.array else { throw SealingError() }
            let parameters = pairs.compactMap { pair -> RequestParameter? in
                guard let texts = pair.array, texts.count == 2, let name = texts[0].text,
                    let value = texts[1].text
                else { return nil }
                return RequestParameter(name, value)
            }
            guard parameters.count == pairs.count else { throw SealingError() }
            return parameters
        }
    }
}
