import FoundationEssentials
import OAuth
import Platform
import VaultCrypto
import VaultKit
import VaultStore
import VaultTesting

/// A vault with so many accounts, whose token records are as large as the rows of the floor.
struct LookupVault {
    /// Accounts written in one transaction.
    private static let batch = 10_000
    /// Seconds that the tokens live: the clock is put forward all the time.
    private static let lifetime = 1e8
    /// Bytes of a token, with which the padded record has 1.5 KiB.
    private static let tokenSize = 1200

    private let location: VaultLocation
    private let keyFile: String

    init(directory: String) {
        location = VaultLocation(directory: directory + "/vault")
        keyFile = directory + "/vault.key"
    }

    static func name(_ number: Int) -> AccountName? { AccountName("account-\(number)") }

    func open(
        clock: any VaultClock,
        transport: any HTTPTransport = UnreachableTransport()
    ) async throws -> Vault {
        try await Vault.open(
            location,
            unlock: .keyFileAt(path: keyFile),
            transport: transport,
            clock: clock
        )
    }

    /// Makes the vault by importing its accounts.
    func fill(count: Int) throws {
        let now = SystemClock().now()
        try FileSystem.makeDirectories(location.directory)
        _ = try VaultFile.create(location, keyFile: keyFile, now: now.wall)
        let file = try VaultFile(location)
        try file.unlock(with: .keyFileAt(path: keyFile))
        for start in stride(from: 0, to: count, by: Self.batch) {
            let export = AccountExport(
                exported: now.wall,
                source: .random(),
                isMove: true,
                accounts: (start..<min(start + Self.batch, count)).compactMap {
                    Self.account($0, now)
                }
            )
            let report = try file.importAccounts(of: export, at: now) { _, now in
                now.wall.addingTimeInterval(Self.lifetime / 2)
            }
            precondition(!report.isRefused, "the accounts are not taken in")
        }
    }

    private static func account(_ number: Int, _ now: Moment) -> ExportedAccount? {
        guard let name = name(number) else { return nil }
        let token = StoredAccessToken(
            value: Secret(String(repeating: "t", count: tokenSize)),
            tokenType: "Bearer",
            obtained: now,
            lifetime: lifetime,
            grantedScope: nil
        )
        return ExportedAccount(
            id: .random(),
            generation: 1,
            settings: AccountSettings(
                name: name,
                client: Client(id: ClientID(rawValue: "bench")),
                tokenEndpoint: EndpointURL(unchecked: "https://as.example/token")
            ),
            tokens: TokenSet(refreshToken: Secret("refresh-\(number)"), accessTokens: [token])
        )
    }
}
