internal import FoundationEssentials
internal import OAuth
internal import Platform
internal import VaultCrypto

/// The two records of an account in the form that nearly all have, read in one pass.
///
/// A look-up reads both, and a tree of them costs more than opening them does. The form is what
/// `encode` writes: the members in the order of their names, no blanks, nothing escaped, and of the
/// parts that may be missing only those that most accounts have. Any other text is `Unusual`, and
/// left to the strict reader; what is read here that one reads alike.
enum UsualRecord {
    /// The text has another form, and may be a record or none.
    struct Unusual: Error {}

    /// The settings of an account record.
    static func settings(_ text: Span<UInt8>) throws(Unusual) -> AccountSettings {
        var scanner = TextScanner()
        try scanner.begin("{", text)
        let authorizationEndpoint = try scanner.text("authorization_endpoint", text)
        let authentication = try scanner.text("client_authentication", text)
        let client = try scanner.text("client_id", text)
        let secret = try scanner.secret("client_secret", text)
        let issuer = try scanner.text("issuer", text)
        let name = try scanner.text("name", text)
        let provider = try scanner.text("provider", text)
        let redirectURI = try scanner.text("redirect_uri", text)
        let revocationEndpoint = try scanner.text("revocation_endpoint", text)
        let scope = try scanner.texts("scope", text)
        let identity = try identity(&scanner, text)
        let endpoint = try scanner.text("token_endpoint", text)
        let userinfoEndpoint = try scanner.text("userinfo_endpoint", text)
        try scanner.end("}", text)
        guard scanner.index == text.count, let client, let endpoint,
            let name = name.flatMap({ AccountName($0) }),
            let authentication = authentication.flatMap({ ClientAuthentication(rawValue: $0) })
        else { throw Unusual() }
        var settings = AccountSettings(
            name: name,
            client: Client(
                id: ClientID(rawValue: client),
                secret: secret,
                authentication: authentication
            ),
            tokenEndpoint: EndpointURL(unchecked: endpoint),
            authorizationEndpoint: authorizationEndpoint.map { EndpointURL(unchecked: $0) },
            issuer: issuer,
            redirectURI: redirectURI,
            requestedScope: Scope(scope ?? []),
            refresh: RefreshOptions(provider: provider)
        )
        settings.revocationEndpoint = revocationEndpoint.map { EndpointURL(unchecked: $0) }
        settings.userinfoEndpoint = userinfoEndpoint.map { EndpointURL(unchecked: $0) }
        settings.identity = identity
        return settings
    }

    /// Who signed in.
    private static func identity(
        _ scanner: inout TextScanner,
        _ text: Span<UInt8>
    ) throws(Unusual) -> Identity? {
        let subject = try scanner.text("subject", text)
        let name = try scanner.text("subject_name", text)
        guard let subject else { return nil }
        guard let identity = Identity(subject: subject, name: name) else { throw Unusual() }
        return identity
    }

    /// Whether an account record is that of a name, from its members up to there.
    static func isName(_ name: AccountName, in text: Span<UInt8>) throws(Unusual) -> Bool {
        var scanner = TextScanner()
        try scanner.begin("{", text)
        _ = try scanner.range("authorization_endpoint", text)
        _ = try scanner.range("client_authentication", text)
        _ = try scanner.range("client_id", text)
        _ = try scanner.range("client_secret", text)
        _ = try scanner.range("issuer", text)
        guard let found = try scanner.text("name", text) else { throw Unusual() }
        return found == name.text
    }

    /// The access token of a token record that has one, and nothing that has to be said with it; and
    /// where its refresh token is.
    static func accessToken(
        _ text: Span<UInt8>
    ) throws(Unusual) -> (accessToken: StoredAccessToken, refreshToken: Range<Int>?) {
        var scanner = TextScanner()
        let token = try onlyAccessToken(&scanner, text)
        _ = try grant(&scanner, text)
        if scanner.passName("previous", text) {
            try scanner.begin("{", text)
            guard try scanner.range("refresh_token", text) != nil,
                try scanner.number("until", text) != nil
            else { throw Unusual() }
            try scanner.end("}", text)
        }
        let refreshToken = try scanner.range("refresh_token", text)
        _ = try scanner.integer("times_kept", text)
        try scanner.end("}", text)
        guard scanner.index == text.count else { throw Unusual() }
        return (token, refreshToken)
    }

    /// The tokens of a token record that has one access token, and nothing special with it.
    static func tokens(_ text: Span<UInt8>) throws(Unusual) -> TokenSet {
        var scanner = TextScanner()
        let accessToken = try onlyAccessToken(&scanner, text)
        let grant = try grant(&scanner, text)
        let previous = try previous(&scanner, text)
        let refreshToken = try scanner.secret("refresh_token", text)
        let timesKept = try scanner.integer("times_kept", text)
        try scanner.end("}", text)
        guard scanner.index == text.count else { throw Unusual() }
        return TokenSet(
            refreshToken: refreshToken,
            accessTokens: [accessToken],
            previous: previous,
            timesKept: timesKept ?? 0,
            grant: grant
        )
    }

    /// What every usual token record begins with.
    private static func onlyAccessToken(
        _ scanner: inout TextScanner,
        _ text: Span<UInt8>
    ) throws(Unusual) -> StoredAccessToken {
        try scanner.begin("{", text)
        try scanner.name("access_tokens", text)
        try scanner.begin("[{", text)
        let accessToken = try accessToken(&scanner, text)
        try scanner.end("}]", text)
        return accessToken
    }

    /// How long the grant lasts.
    private static func grant(
        _ scanner: inout TextScanner,
        _ text: Span<UInt8>
    ) throws(Unusual) -> GrantTimes? {
        guard scanner.passName("grant", text) else { return nil }
        try scanner.begin("{", text)
        let began = try scanner.number("began", text)
        let end = try scanner.number("ends", text)
        let lifetime = try scanner.number("lifetime", text)
        let obtained = try scanner.number("obtained", text)
        try scanner.end("}", text)
        return GrantTimes(
            began: began.map { Date(timeIntervalSince1970: $0) },
            obtained: obtained.map { Date(timeIntervalSince1970: $0) },
            lifetime: lifetime,
            end: end.map { Date(timeIntervalSince1970: $0) }
        )
    }

    /// The refresh token before this one, which a record has for a day.
    private static func previous(
        _ scanner: inout TextScanner,
        _ text: Span<UInt8>
    ) throws(Unusual) -> PreviousRefreshToken? {
        guard scanner.passName("previous", text) else { return nil }
        try scanner.begin("{", text)
        let value = try scanner.secret("refresh_token", text)
        let until = try scanner.number("until", text)
        try scanner.end("}", text)
        guard let value, let until else { throw Unusual() }
        return PreviousRefreshToken(value: value, until: Date(timeIntervalSince1970: until))
    }

    private static func accessToken(
        _ scanner: inout TextScanner,
        _ text: Span<UInt8>
    ) throws(Unusual) -> StoredAccessToken {
        let value = try scanner.secret("access_token", text)
        let generation = try scanner.integer("generation", text)
        let lifetime = try scanner.number("lifetime", text)
        try scanner.name("obtained", text)
        let obtained = try moment(&scanner, text)
        let scope = try scanner.texts("scope", text)
        guard let value, let type = try scanner.text("token_type", text) else { throw Unusual() }
        return StoredAccessToken(
            value: value,
            tokenType: type,
            obtained: obtained,
            lifetime: lifetime,
            grantedScope: scope.map { Scope($0) },
            generation: generation.map { UInt64(clamping: $0) }
        )
    }

    private static func moment(
        _ scanner: inout TextScanner,
        _ text: Span<UInt8>
    ) throws(Unusual) -> Moment {
        try scanner.begin("{", text)
        let boot = try scanner.text("boot_id", text)
        let uptime = try scanner.number("uptime", text)
        let wall = try scanner.number("wall", text)
        try scanner.end("}", text)
        guard let boot, let uptime, let wall else { throw Unusual() }
        return Moment(
            wall: Date(timeIntervalSince1970: wall),
            bootID: boot,
            uptime: uptime
        )
    }
}
