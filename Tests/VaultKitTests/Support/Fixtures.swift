import FoundationEssentials
import OAuth
import Platform
import VaultCrypto

@testable import VaultStore

extension Moment {
    /// When everything in the tables happens.
    static let fixed = Moment(
        wall: Date(timeIntervalSince1970: 1_893_456_000),
        bootID: "boot-1",
        uptime: 1000
    )
}

extension StoredAccessToken {
    /// A token that was obtained some seconds before `Moment.fixed`.
    static func fixture(lifetime: Double?, age: Double = 0) -> StoredAccessToken {
        StoredAccessToken(
            value: Secret("access"),
            tokenType: "Bearer",
            obtained: .fixed.advanced(by: -age),
            lifetime: lifetime
        )
    }
}

extension StoredAccount {
    /// An account of generation 7 whose tokens were obtained `age` seconds ago.
    static func fixture(
        lifetime: Double? = 3600,
        age: Double = 0,
        refreshToken: String? = "refresh",
        signInNeeded: SignInNeeded.Reason? = nil,
        failure: String? = nil,
        failureCount: Int = 1,
        failedBefore: Double = 1,
        dueIn: Double? = nil
    ) -> StoredAccount {
        let now = Moment.fixed.wall
        return StoredAccount(
            number: 1,
            id: .fixture,
            revision: 1,
            settings: AccountSettings(
                name: "work",
                client: Client(id: ClientID(rawValue: "client")),
                tokenEndpoint: EndpointURL(unchecked: "https://as.example/token")
            ),
            generation: 7,
            tokens: TokenSet(
                refreshToken: refreshToken.map { Secret($0) },
                accessTokens: [.fixture(lifetime: lifetime, age: age)],
                signInNeeded: signInNeeded.map { SignInNeeded(reason: $0, since: now) }
            ),
            intent: nil,
            health: Health(
                state: .active,
                due: dueIn.map { now.addingTimeInterval($0) },
                failures: failure.map { name in
                    Failures(
                        count: failureCount,
                        last: name,
                        at: now.addingTimeInterval(-failedBefore)
                    )
                }
            )
        )
    }
}

extension AccountID {
    static var fixture: AccountID {
        guard let id = AccountID([UInt8](repeating: 7, count: 16)) else { return .random() }
        return id
    }
}
