import FoundationEssentials
import OAuth
import Platform
import VaultCrypto
import VaultStore

/// Token pairs that carry the number the server gave them: both halves of a stored one say the same.
enum Pairs {
    private static let lifetime = 3600.0

    static func tokens(_ name: String, _ serial: Int, at now: Moment) -> TokenSet {
        TokenSet(
            refreshToken: Secret("refresh-\(name)-\(serial)"),
            accessTokens: [
                StoredAccessToken(
                    value: Secret("access-\(name)-\(serial)"),
                    tokenType: "Bearer",
                    obtained: now,
                    lifetime: lifetime
                )
            ]
        )
    }

    /// The number in a refresh token that is stored here.
    static func serial(of tokens: TokenSet) -> Int? {
        tokens.refreshToken?.reveal { text in text.split(separator: "-").last.flatMap { Int($0) } }
    }

    static func account(
        _ name: AccountName,
        _ serial: Int,
        at now: Moment
    ) throws -> NewAccount {
        NewAccount(
            settings: AccountSettings(
                name: name,
                client: Client(id: ClientID(rawValue: "client")),
                tokenEndpoint: try EndpointURL("https://issuer.example/token")
            ),
            tokens: tokens(name.text, serial, at: now),
            health: StoredAccount.Health(
                state: .active,
                due: now.wall.addingTimeInterval(lifetime / 2)
            ),
            expiry: now.wall.addingTimeInterval(lifetime)
        )
    }

    static func pair(
        _ name: String,
        _ serial: Int,
        spent: [UInt8],
        at now: Moment
    ) -> NewPair {
        NewPair(
            tokens: tokens(name, serial, at: now),
            spentTokenHash: spent,
            now: now.wall,
            expiry: now.wall.addingTimeInterval(lifetime),
            due: now.wall.addingTimeInterval(lifetime / 2)
        )
    }
}
