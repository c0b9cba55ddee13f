internal import FoundationEssentials
internal import OAuth
internal import Platform
internal import VaultCrypto

/// What an account from outside has to be before it is sealed: inside a vault nothing is checked
/// again.
extension ExportedAccount {
    /// Unix seconds that every calculation with times survives: up to the year 9999.
    static let times = 0.0...253_402_300_799

    /// An account from a member of the file, which errors name by its place.
    init(_ value: JSONValue, at place: String) throws(StoreError) {
        let record = try Self.reading("\(place)") { () throws(SealingError) in
            try SealedJSON(value)
        }
        id = try Self.reading("\(place).account_id") { () throws(SealingError) in
            guard let bytes = [UInt8](hexadecimal: try record.text("account_id")),
                let id = AccountID(bytes)
            else { throw SealingError() }
            return id
        }
        generation = try Self.reading("\(place).generation") { () throws(SealingError) in
            guard let generation = UInt64(exactly: try record.number("generation")),
                (1...AccountExport.largestGeneration).contains(generation)
            else { throw SealingError() }
            return generation
        }
        settings = try Self.reading("\(place).settings") { () throws(SealingError) in
            try AccountRecord.settings(SealedJSON(record["settings"]))
        }
        tokens = try Self.reading("\(place).tokens") { () throws(SealingError) in
            try TokenRecord.tokens(SealedJSON(record["tokens"]))
        }
        try checkSettings(at: place)
        try checkTokens(at: place)
    }

    private static func reading<Value>(
        _ member: String,
        _ body: () throws(SealingError) -> Value
    ) throws(StoreError) -> Value {
        do {
            return try body()
        } catch {
            throw .exportMalformed(member: member)
        }
    }

    // MARK: - Rules

    /// Tokens are sent to these addresses.
    private func checkSettings(at place: String) throws(StoreError) {
        let addresses = [
            ("token_endpoint", settings.tokenEndpoint.string),
            ("authorization_endpoint", settings.authorizationEndpoint?.string),
            ("issuer", settings.issuer), ("redirect_uri", settings.redirectURI),
            ("refresh_endpoint", settings.refresh.endpoint?.string),
            ("revocation_endpoint", settings.revocationEndpoint?.string),
            ("userinfo_endpoint", settings.userinfoEndpoint?.string),
            (
                "device_authorization_endpoint",
                settings.deviceAuthorizationEndpoint?.string
            ),
        ]
        for case (let member, let address?) in addresses {
            guard (try? EndpointURL(address)) != nil else {
                throw .exportMalformed(member: "\(place).settings.\(member)")
            }
        }
        let client = settings.client
        // A token that is never renewed belongs to no client.
        guard settings.grantKind == .static || !client.id.rawValue.isEmpty,
            client.authentication == .none || client.secret != nil
        else { throw .exportMalformed(member: "\(place).settings.client") }
        let parameters = settings.refresh.parameters
        guard parameters.allSatisfy({ RequestParameter.mayBeNamed($0.name) }) else {
            throw .exportMalformed(member: "\(place).settings.refresh_parameters")
        }
        guard
            settings.authorizationParameters.allSatisfy({
                RequestParameter.mayBeAsked($0.name)
            })
        else { throw .exportMalformed(member: "\(place).settings.authorization_parameters") }
        if let authorities = settings.network.certificateAuthorities,
            (try? CertificateAuthorities(pem: authorities.pem)) != authorities
        {
            throw .exportMalformed(member: "\(place).settings.certificate_authorities")
        }
    }

    private func checkTokens(at place: String) throws(StoreError) {
        // One that was signed out of has none, and is remembered for the next sign-in.
        guard
            tokens.refreshToken != nil || !tokens.accessTokens.isEmpty
                || tokens.signInNeeded?.reason == .signedOut,
            tokens.refreshToken == nil || settings.grantKind == .refreshToken
        else { throw .exportMalformed(member: "\(place).tokens") }
        let refreshTokens = [tokens.refreshToken, tokens.previous?.value]
        guard refreshTokens.allSatisfy({ $0?.isEmpty != true }) else {
            throw .exportMalformed(member: "\(place).tokens.refresh_token")
        }
        for (index, token) in tokens.accessTokens.enumerated() {
            let lifetime = token.lifetime ?? 0
            guard token.value.isSendable, Secret(token.tokenType).isSendable,
                Self.isTime(token.obtained.wall), token.obtained.uptime.isFinite,
                abs(lifetime) <= Self.times.upperBound, token.generation ?? 0 <= generation
            else { throw .exportMalformed(member: "\(place).tokens.access_tokens[\(index)]") }
        }
        let dates = [
            tokens.previous?.until, tokens.signInNeeded?.since, tokens.hold?.since,
            tokens.grant?.began, tokens.grant?.obtained, tokens.grant?.end,
        ]
        guard dates.allSatisfy({ $0.map(Self.isTime) ?? true }),
            Self.times.contains(tokens.grant?.lifetime ?? 0)
        else {
            throw .exportMalformed(member: "\(place).tokens")
        }
    }

    private static func isTime(_ date: Date) -> Bool {
        times.contains(date.timeIntervalSince1970)
    }
}

extension Secret {
    /// Whether it is text without control characters, which would end a header and begin another.
    fileprivate var isSendable: Bool {
        guard !isEmpty else { return false }
        return withBytes { bytes in
            (try? UTF8Span(validating: bytes)) != nil
                && bytes.indices.allSatisfy { bytes[$0] >= 0x20 && bytes[$0] != 0x7f }
        }
    }
}
