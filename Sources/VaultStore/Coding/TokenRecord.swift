internal import FoundationEssentials
internal import OAuth
internal import Platform
internal import VaultCrypto

/// The JSON of a token record.
///
/// The names are part of the file format.
struct TokenRecord: Codable {
    struct AccessToken: Codable {
        let accessToken: String
        let tokenType: String
        let obtained: MomentRecord
        let lifetime: Double?
        let scope: [String]?

        enum CodingKeys: String, CodingKey {
            case obtained, lifetime, scope
            case accessToken = "access_token"
            case tokenType = "token_type"
        }
    }

    struct Previous: Codable {
        let refreshToken: String
        let until: Date

        enum CodingKeys: String, CodingKey {
            case until
            case refreshToken = "refresh_token"
        }
    }

    struct NeedsSignIn: Codable {
        let reason: SignInNeeded.Reason
        let since: Date
    }

    let refreshToken: String?
    let accessTokens: [AccessToken]
    let previous: Previous?
    let signInNeeded: NeedsSignIn?

    enum CodingKeys: String, CodingKey {
        case previous
        case refreshToken = "refresh_token"
        case accessTokens = "access_tokens"
        case signInNeeded = "sign_in_needed"
    }

    init(_ tokens: TokenSet) {
        refreshToken = tokens.refreshToken?.reveal { $0 }
        accessTokens = tokens.accessTokens.map { token in
            AccessToken(
                accessToken: token.value.reveal { $0 },
                tokenType: token.tokenType,
                obtained: MomentRecord(token.obtained),
                lifetime: token.lifetime,
                scope: token.grantedScope?.names
            )
        }
        previous = tokens.previous.map { previous in
            Previous(refreshToken: previous.value.reveal { $0 }, until: previous.until)
        }
        signInNeeded = tokens.signInNeeded.map { needed in
            NeedsSignIn(reason: needed.reason, since: needed.since)
        }
    }

    func tokens() -> TokenSet {
        TokenSet(
            refreshToken: refreshToken.map { Secret($0) },
            accessTokens: accessTokens.map { token in
                StoredAccessToken(
                    value: Secret(token.accessToken),
                    tokenType: token.tokenType,
                    obtained: token.obtained.moment,
                    lifetime: token.lifetime,
                    grantedScope: token.scope.map { Scope($0) }
                )
            },
            previous: previous.map { previous in
                PreviousRefreshToken(value: Secret(previous.refreshToken), until: previous.until)
            },
            signInNeeded: signInNeeded.map { needed in
                SignInNeeded(reason: needed.reason, since: needed.since)
            }
        )
    }
}

/// The JSON of a moment.
struct MomentRecord: Codable {
    let wall: Date
    let bootID: String
    let uptime: Double

    enum CodingKeys: String, CodingKey {
        case wall, uptime
        case bootID = "boot_id"
    }

    init(_ moment: Moment) {
        wall = moment.wall
        bootID = moment.bootID
        uptime = moment.uptime
    }

    var moment: Moment { Moment(wall: wall, bootID: bootID, uptime: uptime) }
}

/// The JSON of an intent record.
struct IntentRecord: Codable {
    let refreshTokenHash: String
    let claimed: MomentRecord
    let attempt: Int

    enum CodingKeys: String, CodingKey {
        case claimed, attempt
        case refreshTokenHash = "refresh_token_hash"
    }

    init(_ intent: Intent) {
        refreshTokenHash = intent.refreshTokenHash.hexadecimal
        claimed = MomentRecord(intent.claimed)
        attempt = intent.attempt
    }

    func intent() throws(SealingError) -> Intent {
        guard let hash = [UInt8](hexadecimal: refreshTokenHash) else { throw SealingError() }
        return Intent(refreshTokenHash: hash, claimed: claimed.moment, attempt: attempt)
    }
}
