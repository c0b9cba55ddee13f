import FoundationEssentials
import OAuth
import Platform
import VaultCrypto
import VaultStore

/// A vault with very many accounts of three clients, whose tokens live an hour.
struct ScaleVault {
    /// What to fill it with.
    struct Plan {
        let count: Int
        let port: Int
        /// Accounts that fall due in a second.
        let rate: Double
        /// Seconds from now until the first does.
        let delay: Double
    }

    /// Accounts written in one transaction.
    private static let batch = 10_000
    private static let lifetime = 3600.0
    /// Seconds before expiry at which such a token is due at the latest.
    private static let lead = 720.0

    private let location: VaultLocation
    private let keyFile: String

    init(directory: String) {
        location = VaultLocation(directory: directory + "/vault")
        keyFile = directory + "/vault.key"
    }

    func fill(_ plan: Plan) throws {
        let now = SystemClock().now()
        try FileSystem.makeDirectories(location.directory)
        _ = try VaultFile.create(location, keyFile: keyFile, now: now.wall)
        let file = try VaultFile(location)
        try file.unlock(with: .keyFileAt(path: keyFile))
        for start in stride(from: 0, to: plan.count, by: Self.batch) {
            let accounts = (start..<min(start + Self.batch, plan.count)).compactMap { number in
                account(number, plan, now)
            }
            let export = AccountExport(
                exported: now.wall,
                source: .random(),
                isMove: true,
                accounts: accounts
            )
            let report = try file.importAccounts(of: export, at: now) { account, _ in
                account.tokens.defaultToken?.obtained.wall
                    .addingTimeInterval(Self.lifetime - Self.lead)
            }
            precondition(!report.isRefused, "the accounts are not taken in")
        }
    }

    private func account(_ number: Int, _ plan: Plan, _ now: Moment) -> ExportedAccount? {
        guard let name = AccountName("account-\(number)") else { return nil }
        let due = plan.delay + Double(number) / plan.rate
        let token = StoredAccessToken(
            value: Secret("a-\(number)-1-" + String(repeating: "0", count: 900)),
            tokenType: "Bearer",
            obtained: now.advanced(by: due - Self.lifetime + Self.lead),
            lifetime: Self.lifetime,
            grantedScope: nil
        )
        let endpoint = "http://127.0.0.1:\(plan.port)/token"
        return ExportedAccount(
            id: .random(),
            generation: 2,
            settings: AccountSettings(
                name: name,
                client: Client(id: ClientID(rawValue: "client-\(number % 3)")),
                tokenEndpoint: EndpointURL(unchecked: endpoint)
            ),
            tokens: TokenSet(refreshToken: Secret("r-\(number)-1"), accessTokens: [token])
        )
    }

    /// Prints accounts spread evenly over those that were refreshed and those that were not.
    func sample(_ samples: Int, of count: Int) throws {
        let file = try VaultFile(location)
        try file.unlock(with: .keyFileAt(path: keyFile))
        for index in 0..<samples {
            let number = index * count / samples
            guard let name = AccountName("account-\(number)") else { continue }
            let account = try file.account(named: name)
            let generation = account.tokens.defaultToken?.value.reveal { text in
                text.split(separator: "-").dropFirst(2).first.map(String.init)
            }
            print(number, (generation ?? nil) ?? "?", account.intent == nil ? 0 : 1)
        }
    }
}
