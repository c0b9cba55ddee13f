internal import FoundationEssentials
internal import OAuth
internal import Platform
package import VaultCrypto

/// The plaintext of a token record.
///
/// The names of its members are part of the file format.
package enum TokenRecord {
    package static func encode(_ tokens: TokenSet) -> Secret { record(of: tokens).encoded }

    static func record(of tokens: TokenSet) -> SealedJSON {
        SealedJSON([
            "refresh_token": tokens.refreshToken.map { .string($0) },
            "access_tokens": .array(tokens.accessTokens.map { value(of: $0) }),
            "previous": tokens.previous.map { previous in
                SealedJSON([
                    "refresh_token": .string(previous.value), "until": .date(previous.until),
                ]).value
            },
            "sign_in_needed": tokens.signInNeeded.map { needed in
                SealedJSON([
                    "reason": .text(needed.reason.rawValue), "since": .date(needed.since),
                    "first_sent": needed.firstSent.map { .date($0) },
                    "sent_again": needed.sentAgain.map { .date($0) },
                ]).value
            },
            "hold": tokens.hold.map { hold in
                SealedJSON([
                    "reason": .text(hold.reason.rawValue), "since": .date(hold.since),
                ]).value
            },
            "silent_refusals": tokens.silentRefusals.map { refusals in
                SealedJSON([
                    "status": .number("\(refusals.status)"), "count": .number("\(refusals.count)"),
                    "since": MomentRecord.value(of: refusals.since),
                ]).value
            },
            "late_duplicate": tokens.lateDuplicate.map { sendings in
                SealedJSON([
                    "first_sent": .date(sendings.firstSent),
                    "sent_again": .date(sendings.sentAgain),
                ]).value
            },
            "grant": tokens.grant.map { GrantRecord.value(of: $0) },
            "times_kept": tokens.timesKept > 0 ? .number("\(tokens.timesKept)") : nil,
        ])
    }

    /// The access token for a request, of an account that no person has to look after; nil when there
    /// is none.
    ///
    /// The closure is lent the refresh token, and says whether it was spent.
    static func accessToken(
        for request: AccessTokenRequest?,
        in plaintext: Secret,
        unless isSpent: (Span<UInt8>) throws -> Bool
    ) throws -> StoredAccessToken? {
        try plaintext.withBytes { text in
            if request == nil, let usual = try? UsualRecord.accessToken(text) {
                let isSpent = try usual.refreshToken.map { try isSpent(text.extracting($0)) }
                return isSpent ?? false ? nil : usual.accessToken
            }
            let tokens = try decode(plaintext)
            guard tokens.signInNeeded == nil, tokens.hold == nil,
                try tokens.refreshToken.map({ try $0.withBytes(isSpent) }) != true
            else { return nil }
            return tokens.accessToken(for: request)
        }
    }

    package static func decode(_ plaintext: Secret) throws(SealingError) -> TokenSet {
        if let tokens = try? plaintext.withBytes({ (text) throws(UsualRecord.Unusual) in
            try UsualRecord.tokens(text)
        }) {
            return tokens
        }
        return try tokens(SealedJSON(decoding: plaintext))
    }

    static func tokens(_ record: SealedJSON) throws(SealingError) -> TokenSet {
        guard let list = record["access_tokens"]?.array else { throw SealingError() }
        var accessTokens: [StoredAccessToken] = []
        for element in list { accessTokens.append(try accessToken(SealedJSON(element))) }
        return TokenSet(
            refreshToken: try record.optional("refresh_token", SealedJSON.secret),
            accessTokens: accessTokens,
            previous: try record["previous"].map { value throws(SealingError) in
                let previous = try SealedJSON(value)
                return PreviousRefreshToken(
                    value: try previous.secret("refresh_token"),
                    until: try previous.date("until")
                )
            },
            signInNeeded: try record["sign_in_needed"].map { value throws(SealingError) in
                let needed = try SealedJSON(value)
                guard let reason = SignInNeeded.Reason(rawValue: try needed.text("reason")) else {
                    throw SealingError()
                }
                return SignInNeeded(
                    reason: reason,
                    since: try needed.date("since"),
                    firstSent: try needed.optional("first_sent", SealedJSON.date),
                    sentAgain: try needed.optional("sent_again", SealedJSON.date)
                )
            },
            hold: try record["hold"].map { value throws(SealingError) in
                let hold = try SealedJSON(value)
                guard let reason = Hold.Reason(rawValue: try hold.text("reason")) else {
                    throw SealingError()
                }
                return Hold(reason: reason, since: try hold.date("since"))
            },
            silentRefusals: try record["silent_refusals"].map { value throws(SealingError) in
                let refusals = try SealedJSON(value)
                return SilentRefusals(
                    status: try refusals.integer("status"),
                    count: try refusals.integer("count"),
                    since: try MomentRecord.moment(refusals["since"])
                )
            },
            lateDuplicate: try record["late_duplicate"].map { value throws(SealingError) in
                let sendings = try SealedJSON(value)
                return LateDuplicate(
                    firstSent: try sendings.date("first_sent"),
                    sentAgain: try sendings.date("sent_again")
                )
            },
            timesKept: try record["times_kept"] == nil ? 0 : record.integer("times_kept"),
            grant: try record["grant"].map { value throws(SealingError) in
                try GrantRecord.times(SealedJSON(value))
            }
        )
    }

    private static func value(of token: StoredAccessToken) -> JSONValue {
        SealedJSON([
            "access_token": .string(token.value), "token_type": .text(token.tokenType),
            "obtained": MomentRecord.value(of: token.obtained),
            "lifetime": token.lifetime.map { .number($0) },
            "scope": token.grantedScope.map { .texts($0.names) },
            "requested_scope": token.requested?.scope.map { .texts($0.names) },
            "resource": token.requested?.resource.map { .text($0) },
            "generation": token.generation.map { .number("\($0)") },
        ]).value
    }

    private static func accessToken(
        _ record: SealedJSON
    ) throws(SealingError) -> StoredAccessToken {
        StoredAccessToken(
            value: try record.secret("access_token"),
            tokenType: try record.text("token_type"),
            obtained: try MomentRecord.moment(record["obtained"]),
            lifetime: try record.optional("lifetime", SealedJSON.number),
            grantedScope: try record.optional("scope", SealedJSON.texts).map { Scope($0) },
            requested: AccessTokenRequest(
                scope: try record.optional("requested_scope", SealedJSON.texts).map { Scope($0) },
                resource: try record.optional("resource", SealedJSON.text)
            ),
            generation: try record.optional("generation", SealedJSON.integer).map {
                UInt64(clamping: $0)
            }
        )
    }
}

/// A moment inside a record.
enum MomentRecord {
    static func value(of moment: Moment) -> JSONValue {
        SealedJSON([
            "wall": .date(moment.wall), "boot_id": .text(moment.bootID),
            "uptime": .number(moment.uptime),
        ]).value
    }

    static func moment(_ value: JSONValue?) throws(SealingError) -> Moment {
        let record = try SealedJSON(value)
        return Moment(
            wall: try record.date("wall"),
            bootID: try record.text("boot_id"),
            uptime: try record.number("uptime")
        )
    }
}

/// The times of a grant inside a token record.
enum GrantRecord {
    static func value(of times: GrantTimes) -> JSONValue {
        SealedJSON([
            "began": times.began.map { .date($0) }, "ends": times.end.map { .date($0) },
            "lifetime": times.lifetime.map { .number($0) },
            "obtained": times.obtained.map { .date($0) },
        ]).value
    }

    static func times(_ record: SealedJSON) throws(SealingError) -> GrantTimes {
        GrantTimes(
            began: try record.optional("began", SealedJSON.date),
            obtained: try record.optional("obtained", SealedJSON.date),
            lifetime: try record.optional("lifetime", SealedJSON.number),
            end: try record.optional("ends", SealedJSON.date)
        )
    }
}

/// The plaintext of an intent record.
///
/// The names of its members are part of the file format.
package enum IntentRecord {
    package static func encode(_ intent: Intent) -> Secret {
        SealedJSON([
            "refresh_token_hash": .text(intent.refreshTokenHash.hexadecimal),
            "claimed": MomentRecord.value(of: intent.claimed),
            "attempt": .number("\(intent.attempt)"),
            "first": intent.first == intent.claimed ? nil : MomentRecord.value(of: intent.first),
        ]).encoded
    }

    package static func decode(_ plaintext: Secret) throws(SealingError) -> Intent {
        let record = try SealedJSON(decoding: plaintext)
        guard let hash = [UInt8](hexadecimal: try record.text("refresh_token_hash")),
            let attempt = Int(exactly: try record.number("attempt"))
        else { throw SealingError() }
        let claimed = try MomentRecord.moment(record["claimed"])
        return Intent(
            refreshTokenHash: hash,
            claimed: claimed,
            attempt: attempt,
            first: try record["first"] == nil ? claimed : MomentRecord.moment(record["first"])
        )
    }
}
