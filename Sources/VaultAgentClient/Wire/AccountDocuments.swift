package import FoundationEssentials

/// An account in a list.
package struct AccountDocument: Codable, Sendable {
    package let name: String
    /// Null where nothing vouches for it.
    package let current: Bool?
    package var state: String
    package let issuer: String?
    package let expiresAt: Date?
    package let dueAt: Date?
    /// When the grant ends unless somebody signs in anew.
    package var grantEndsAt: Date?
    /// Null where nothing vouches for it.
    package let renewal: String?
    /// Null where nothing vouches for them.
    package let tags: [String]?
    /// What its access tokens are obtained with; null where nothing vouches for it.
    package let grant: String?
    /// Who signed in, by the server's own name and by one for people; null where it does not say.
    package let subject: String?
    package let displayName: String?

    package init(
        name: String,
        current: Bool?,
        state: String,
        issuer: String?,
        expiresAt: Date?,
        dueAt: Date?,
        grantEndsAt: Date? = nil,
        renewal: String? = nil,
        tags: [String]?,
        grant: String? = nil,
        subject: String? = nil,
        displayName: String? = nil
    ) {
        self.name = name
        self.current = current
        self.state = state
        self.issuer = issuer
        self.expiresAt = expiresAt
        self.dueAt = dueAt
        self.grantEndsAt = grantEndsAt
        self.renewal = renewal
        self.tags = tags
        self.grant = grant
        self.subject = subject
        self.displayName = displayName
    }

    // What is unknown is null, not missing.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(name, forKey: .name)
        try container.encode(current, forKey: .current)
        try container.encode(state, forKey: .state)
        try container.encode(issuer, forKey: .issuer)
        try container.encode(expiresAt, forKey: .expiresAt)
        try container.encode(dueAt, forKey: .dueAt)
        try container.encode(grantEndsAt, forKey: .grantEndsAt)
        try container.encode(renewal, forKey: .renewal)
        try container.encode(tags, forKey: .tags)
        try container.encode(grant, forKey: .grant)
        try container.encode(subject, forKey: .subject)
        try container.encode(displayName, forKey: .displayName)
    }
}

/// Every account, as `vault list --json` and the agent give them.
package struct AccountListDocument: Codable, Sendable {
    package var schemaVersion = WireJSON.schemaVersion
    /// Whether the vault is locked: then these are hints that nothing vouches for.
    package let locked: Bool?
    package let accounts: [AccountDocument]
    /// The names of those whose records do not open.
    package let damaged: [String]

    package init(locked: Bool? = nil, accounts: [AccountDocument], damaged: [String] = []) {
        self.locked = locked
        self.accounts = accounts
        self.damaged = damaged
    }
}

/// Every account and how it is doing, as the agent gives them.
package struct AccountStatusListDocument: Codable, Sendable {
    package var schemaVersion = WireJSON.schemaVersion
    package let accounts: [AccountStatusDocument]
    /// The names of those whose records do not open.
    package let damaged: [String]

    package init(accounts: [AccountStatusDocument], damaged: [String] = []) {
        self.accounts = accounts
        self.damaged = damaged
    }
}

/// An account in `vault status --json`.
package struct AccountStatusDocument: Codable, Sendable {
    package private(set) var account: AccountDocument
    /// Nil where nothing vouches for it: then each of its members is null.
    package let detail: Detail?

    /// When the grant itself comes to its end, however often it is used; null where nobody said.
    package var grantEndsAt: Date? {
        get { account.grantEndsAt }
        set { account.grantEndsAt = newValue }
    }

    /// What is known of an account that opens.
    package struct Detail: Sendable, Equatable {
        package let generation: UInt64
        package let failureCount: Int
        package let lastFailure: String?
        /// Why it is in its state, and since when.
        package let reason: String?
        package let since: Date?
        /// When its refresh token was sent, where the answer is lost or two sendings ended the grant.
        package let firstSentAt: Date?
        package let sentAgainAt: Date?
        package let tokenEndpoint: String?
        /// Seconds that its access token lives in all; null where nobody said.
        package let lifetime: Double?

        package init(
            generation: UInt64,
            failureCount: Int,
            lastFailure: String?,
            reason: String? = nil,
            since: Date? = nil,
            firstSentAt: Date? = nil,
            sentAgainAt: Date? = nil,
            tokenEndpoint: String? = nil,
            lifetime: Double? = nil
        ) {
            self.generation = generation
            self.failureCount = failureCount
            self.lastFailure = lastFailure
            self.reason = reason
            self.since = since
            self.firstSentAt = firstSentAt
            self.sentAgainAt = sentAgainAt
            self.tokenEndpoint = tokenEndpoint
            self.lifetime = lifetime
        }
    }

    package init(account: AccountDocument, detail: Detail?, grantEndsAt: Date? = nil) {
        self.account = account
        self.detail = detail
        if let grantEndsAt { self.grantEndsAt = grantEndsAt }
    }

    /// The same account in another state.
    package func with(state: String, reason: String) -> AccountStatusDocument {
        var account = account
        account.state = state
        return AccountStatusDocument(
            account: account,
            detail: detail.map { detail in
                Detail(
                    generation: detail.generation,
                    failureCount: detail.failureCount,
                    lastFailure: detail.lastFailure,
                    reason: reason,
                    since: detail.since,
                    firstSentAt: detail.firstSentAt,
                    sentAgainAt: detail.sentAgainAt,
                    tokenEndpoint: detail.tokenEndpoint,
                    lifetime: detail.lifetime
                )
            }
        )
    }

    enum CodingKeys: String, CodingKey {
        case generation, failureCount, lastFailure, reason, since, firstSentAt, sentAgainAt
        case tokenEndpoint, lifetime
    }

    package init(from decoder: any Decoder) throws {
        account = try AccountDocument(from: decoder)
        let members = try decoder.container(keyedBy: CodingKeys.self)
        guard let generation = try members.decode(UInt64?.self, forKey: .generation) else {
            detail = nil
            return
        }
        detail = Detail(
            generation: generation,
            failureCount: try members.decode(Int.self, forKey: .failureCount),
            lastFailure: try members.decode(String?.self, forKey: .lastFailure),
            reason: try members.decode(String?.self, forKey: .reason),
            since: try members.decode(Date?.self, forKey: .since),
            firstSentAt: try members.decode(Date?.self, forKey: .firstSentAt),
            sentAgainAt: try members.decode(Date?.self, forKey: .sentAgainAt),
            tokenEndpoint: try members.decodeIfPresent(String.self, forKey: .tokenEndpoint),
            lifetime: try members.decodeIfPresent(Double.self, forKey: .lifetime)
        )
    }

    // One flat object: what the list says, and more.
    package func encode(to encoder: any Encoder) throws {
        try account.encode(to: encoder)
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(detail?.generation, forKey: .generation)
        try members.encode(detail?.failureCount, forKey: .failureCount)
        try members.encode(detail?.lastFailure, forKey: .lastFailure)
        try members.encode(detail?.reason, forKey: .reason)
        try members.encode(detail?.since, forKey: .since)
        try members.encode(detail?.firstSentAt, forKey: .firstSentAt)
        try members.encode(detail?.sentAgainAt, forKey: .sentAgainAt)
        try members.encode(detail?.tokenEndpoint, forKey: .tokenEndpoint)
        try members.encode(detail?.lifetime, forKey: .lifetime)
    }
}

/// One account and how it is doing, as the agent gives it.
package struct OneAccountDocument: Codable, Sendable {
    package var schemaVersion = WireJSON.schemaVersion
    package let account: AccountStatusDocument

    package init(account: AccountStatusDocument) {
        self.account = account
    }
}

/// The account that is used when none is named.
package struct CurrentAccountDocument: Codable, Sendable {
    package var schemaVersion = WireJSON.schemaVersion
    /// Null when there is none.
    package let account: String?

    package init(account: String?) {
        self.account = account
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(schemaVersion, forKey: .schemaVersion)
        try container.encode(account, forKey: .account)
    }
}
