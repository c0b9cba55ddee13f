import FoundationEssentials
import VaultCrypto
import VaultSQLite

@testable import VaultStore

/// A vault with a record of every kind, and what is in it.
struct VaultContents: Equatable {
    let accounts: [StoredAccount]
    let selected: AccountID?
    let received: [TokenSet]

    init(_ file: VaultFile) throws {
        accounts = try file.accounts(after: nil, limit: 1000)
        selected = try file.selectedAccount()
        let keyring = try file.currentKeyring()
        var select = try file.connection.prepare(
            "SELECT account_id, generation, tokens_box FROM received_token ORDER BY number"
        )
        var received: [TokenSet] = []
        while try select.step() {
            guard let id = AccountID(select.blob(at: 0)) else { continue }
            let plaintext = try keyring.open(
                select.blob(at: 2),
                kind: .receivedToken,
                account: id,
                generation: UInt64(select.integer(at: 1))
            )
            received.append(try TokenRecord.decode(plaintext))
        }
        self.received = received
    }

    /// The same with the hash of one intent made anew, as new keys do.
    func intentHash(of name: AccountName) -> [UInt8]? {
        accounts.first { $0.name == name }?.intent?.refreshTokenHash
    }
}

extension TemporaryVault {
    /// Accounts with and without a claim, one of them current; a spent token; a pair kept aside.
    func fillWithEverything(more: Int = 0) throws -> VaultContents {
        let file = try open()
        // The first write sets it, and this many need not reach the disk.
        try file.proveWritable()
        try file.connection.execute("PRAGMA synchronous = OFF")
        for name in ["claimed", "late", "refreshed"] as [AccountName] {
            _ = try file.insert(Fixture.account(name))
        }
        _ = try file.insert(Fixture.fullAccount("full"))
        for index in 0..<more {
            guard let name = AccountName("more-\(index)") else { continue }
            _ = try file.insert(Fixture.account(name))
        }
        try file.select("full")
        _ = try file.claim("claimed")
        try file.refresh("refreshed", to: "refreshed-2")
        let late = try file.claim("late")
        _ = try file.replace(
            file.account(named: "late"),
            with: Fixture.account("late", grant: "l2")
        )
        _ = try file.install(Fixture.pair("too-late"), for: late)
        return try VaultContents(file)
    }
}

extension VaultFile {
    /// Claims the account as it is now.
    func claim(_ name: AccountName) throws -> Claim {
        let account = try account(named: name)
        let token = account.tokens.refreshToken ?? Secret("")
        return try claim(account, intent: Fixture.intent(spentTokenHash(of: token)))
    }

    /// A whole refresh: the account's refresh token is spent for the named pair.
    @discardableResult
    func refresh(_ name: AccountName, to pair: String) throws -> InstallOutcome {
        let token = try account(named: name).tokens.refreshToken ?? Secret("")
        let spent = try spentTokenHash(of: token)
        return try install(Fixture.pair(pair, spent: spent), for: claim(name))
    }
}
