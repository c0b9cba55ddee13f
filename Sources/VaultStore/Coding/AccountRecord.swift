internal import OAuth
internal import VaultCrypto

/// The plaintext of an account record.
///
/// The names of its members are part of the file format.
enum AccountRecord {
    static func encode(_ settings: AccountSettings) -> Secret { record(of: settings).encoded }

    static func record(of settings: AccountSettings) -> SealedJSON {
        let scope = settings.requestedScope
        return SealedJSON([
            "name": .text(settings.name.text),
            "client_id": .text(settings.client.id.rawValue),
            "client_secret": settings.client.secret.map { .string($0) },
            "client_authentication": .text(settings.client.authentication.rawValue),
            "token_endpoint": .text(settings.tokenEndpoint.string),
            "authorization_endpoint": settings.authorizationEndpoint.map { .text($0.string) },
            "issuer": settings.issuer.map { .text($0) },
            "redirect_uri": settings.redirectURI.map { .text($0) },
            "scope": scope.isEmpty ? nil : .texts(scope.names),
        ])
    }

    /// The settings; endpoints were checked before they were sealed.
    static func decode(_ plaintext: Secret) throws(SealingError) -> AccountSettings {
        try settings(SealedJSON(decoding: plaintext))
    }

    static func settings(_ record: SealedJSON) throws(SealingError) -> AccountSettings {
        guard let name = AccountName(try record.text("name")),
            let authentication = ClientAuthentication(
                rawValue: try record.text("client_authentication")
            )
        else { throw SealingError() }
        return AccountSettings(
            name: name,
            client: Client(
                id: ClientID(rawValue: try record.text("client_id")),
                secret: try record.optional("client_secret", SealedJSON.secret),
                authentication: authentication
            ),
            tokenEndpoint: EndpointURL(unchecked: try record.text("token_endpoint")),
            authorizationEndpoint: try record.optional("authorization_endpoint", SealedJSON.text)
                .map { EndpointURL(unchecked: $0) },
            issuer: try record.optional("issuer", SealedJSON.text),
            redirectURI: try record.optional("redirect_uri", SealedJSON.text),
            requestedScope: Scope(try record.optional("scope", SealedJSON.texts) ?? [])
        )
    }
}
