import FoundationEssentials
import OAuth
import Platform
import VaultCrypto

@testable import VaultStore

/// Accounts and tokens to store; times are whole seconds, which every column keeps.
enum Fixture {
    static let now = Date(timeIntervalSince1970: 1_800_000_000)
    static let moment = Moment(wall: now, bootID: "a boot", uptime: 1000)
    static let health = StoredAccount.Health(state: .active, due: now.addingTimeInterval(3000))

    static func tokens(_ name: String) -> TokenSet {
        TokenSet(
            refreshToken: Secret("refresh-\(name)"),
            accessTokens: [
                StoredAccessToken(
                    value: Secret("access-\(name)"),
                    tokenType: "Bearer",
                    obtained: moment,
                    lifetime: 3600
                )
            ]
        )
    }

    static func settings(_ name: AccountName) -> AccountSettings {
        AccountSettings(
            name: name,
            client: Client(id: ClientID(rawValue: "client-of-\(name)")),
            tokenEndpoint: EndpointURL(unchecked: "https://issuer.example/token")
        )
    }

    static func account(
        _ name: AccountName,
        grant: String? = nil,
        due: Date? = now.addingTimeInterval(3000)
    ) -> NewAccount {
        NewAccount(
            settings: settings(name),
            tokens: tokens(grant ?? name.text),
            health: StoredAccount.Health(state: .active, due: due),
            expiry: now.addingTimeInterval(3600)
        )
    }

    /// A client that several accounts have.
    static let client = Client(
        id: ClientID(rawValue: "shared"),
        secret: Secret("old"),
        authentication: .clientSecretPost
    )

    /// An account that was signed in with this client.
    static func account(
        _ name: AccountName,
        of client: Client,
        at endpoint: String = "https://issuer.example/token"
    ) -> NewAccount {
        var account = account(name)
        account.settings.client = client
        account.settings.tokenEndpoint = EndpointURL(unchecked: endpoint)
        return account
    }

    /// Every option of a connection.
    static let network = NetworkOptions(
        proxy: try? ProxyURL("socks5h://proxy.example:1080"),
        certificateAuthorities: try? CertificateAuthorities(
            pem: "-----BEGIN CERTIFICATE-----\nMIIBAA==\n-----END CERTIFICATE-----\n"
        ),
        clientCertificate: ClientCertificate(certificatePath: "/etc/c.pem", keyPath: "/etc/c.key")
    )

    /// An account with every part that one can have.
    static func fullAccount(_ name: AccountName, grant: String? = nil) -> NewAccount {
        var account = account(name, grant: grant)
        account.settings = AccountSettings(
            name: name,
            client: Client(
                id: ClientID(rawValue: "client \u{1F511}/\""),
                secret: Secret("a secret"),
                authentication: .clientSecretPost
            ),
            tokenEndpoint: EndpointURL(unchecked: "https://issuer.example:8443/token?x=1"),
            authorizationEndpoint: EndpointURL(unchecked: "https://issuer.example/authorize"),
            issuer: "https://issuer.example",
            redirectURI: "http://127.0.0.1:7777/back",
            requestedScope: Scope(["openid", "mail"]),
            refresh: RefreshOptions(
                provider: "github",
                rotation: .grace(seconds: 1.5),
                parameters: [RequestParameter("expires_in", "1800"), RequestParameter("a", "")],
                sendsScope: true,
                endpoint: EndpointURL(unchecked: "https://issuer.example/refresh")
            ),
            tags: ["customer 7", "\u{1F511} caf\u{e9}"]
        )
        account.settings.network = network
        account.settings.revocationEndpoint = EndpointURL(unchecked: "https://issuer.example/out")
        account.settings.revocationForm = .bearer
        account.settings.userinfoEndpoint = EndpointURL(unchecked: "https://issuer.example/me")
        account.settings.authorizationParameters = [RequestParameter("audience", "a b")]
        account.tokens.accessTokens.append(
            StoredAccessToken(
                value: Secret("narrow"),
                tokenType: "DPoP",
                obtained: moment.advanced(by: 5),
                lifetime: nil,
                grantedScope: Scope(["mail"]),
                requested: AccessTokenRequest(
                    scope: Scope(["mail"]),
                    resource: "https://api.example"
                ),
                generation: 1
            )
        )
        account.tokens.previous = PreviousRefreshToken(
            value: Secret("before"),
            until: now.addingTimeInterval(86_400)
        )
        account.tokens.signInNeeded = SignInNeeded(reason: .rotationLost, since: now)
        account.health = StoredAccount.Health(state: .signInNeeded, due: nil)
        return account
    }

    static func intent(_ hash: [UInt8], attempt: Int = 1) -> Intent {
        Intent(refreshTokenHash: hash, claimed: moment, attempt: attempt)
    }

    static func pair(
        _ name: String,
        spent: [UInt8]? = nil,
        at date: Date = now,
        due: Date? = now.addingTimeInterval(6000)
    ) -> NewPair {
        NewPair(
            tokens: tokens(name),
            spentTokenHash: spent,
            now: date,
            expiry: date.addingTimeInterval(7200),
            due: due
        )
    }
}

extension AccountStore {
    /// Claims the account as it is now.
    func claim(_ name: AccountName) async throws -> Claim {
        let account = try await account(named: name)
        let token = account.tokens.refreshToken ?? Secret("")
        return try await claim(account, intent: Fixture.intent(spentTokenHash(of: token)))
    }

    /// A whole refresh: the account's refresh token is spent for the named pair.
    @discardableResult
    func refresh(_ name: AccountName, to pair: String) async throws -> InstallOutcome {
        let token = try await account(named: name).tokens.refreshToken ?? Secret("")
        let spent = try await spentTokenHash(of: token)
        return try await install(Fixture.pair(pair, spent: spent), for: claim(name))
    }
}
