package import FoundationEssentials
package import OAuth
package import Platform
package import VaultCrypto

/// What is read of the store, on the thread of whoever asks.
extension SQLiteStore {
    package nonisolated func account(named name: AccountName) throws -> StoredAccount {
        try reading { try $0.account(named: name) }
    }

    package nonisolated func tokenAtHand(
        of name: AccountName,
        for request: AccessTokenRequest?
    ) throws -> TokenAtHand? {
        try reading { try $0.tokenAtHand(of: name, for: request) }
    }

    package nonisolated func account(_ id: AccountID) throws -> StoredAccount? {
        try reading { try $0.account(id) }
    }

    package nonisolated func accounts(
        after name: AccountName?,
        limit: Int
    ) throws -> [StoredAccount] {
        try reading { try $0.accounts(after: name, limit: limit) }
    }

    package nonisolated func selectedAccount() throws -> AccountID? {
        try reading { try $0.selectedAccount() }
    }

    package nonisolated func due(before date: Date, limit: Int) throws -> [AccountHint] {
        try reading { try $0.due(before: date, limit: limit) }
    }

    package nonisolated func due(
        after last: (due: Date, number: Int64),
        before date: Date,
        limit: Int
    ) throws -> [AccountHint] {
        try reading { try $0.due(after: last, before: date, limit: limit) }
    }

    package nonisolated func dueAfterLoss(before date: Date, limit: Int) throws -> [AccountHint] {
        try reading { try $0.dueAfterLoss(before: date, limit: limit) }
    }

    package nonisolated func due(
        of client: [UInt8],
        before date: Date,
        limit: Int
    ) throws -> [AccountHint] {
        try reading { try $0.due(of: client, before: date, limit: limit) }
    }

    package nonisolated func clients(after client: [UInt8], limit: Int) throws -> [[UInt8]] {
        try reading { try $0.clients(after: client, limit: limit) }
    }

    package nonisolated func lastSeenClock() throws -> Moment? {
        try reading { try $0.lastSeenClock() }
    }

    package nonisolated func grantEnds(
        after place: GrantEndPlace,
        before date: Date,
        limit: Int
    ) throws -> [GrantEndPlace] {
        try reading { try $0.grantEnds(after: place, before: date, limit: limit) }
    }

    package nonisolated func newestActivity(
        of account: String?,
        since: Date?,
        limit: Int
    ) throws -> [Activity] {
        try reading { try $0.newestActivity(of: account, since: since, limit: limit) }
    }

    package nonisolated func nextDue() throws -> Date? {
        try reading { try $0.nextDue() }
    }

    package nonisolated func accountCount() throws -> Int {
        try reading { try $0.accountCount() }
    }

    package nonisolated func changeCounter() throws -> Int64 {
        try reading { try $0.changeCounter() }
    }

    package nonisolated func clientState(of account: StoredAccount) throws -> ClientState {
        try clientState(of: account.settings)
    }

    package nonisolated func clientState(of settings: AccountSettings) throws -> ClientState {
        try reading { try $0.clientState(of: settings) }
    }

    package nonisolated func requestLimit(of settings: AccountSettings) throws -> RequestLimit? {
        try reading { $0.requestLimit(of: settings) }
    }

    package nonisolated func stateChangeCount() throws -> Int64 {
        try reading { try $0.stateChangeCount() }
    }

    package nonisolated func stateChanges(
        after place: StateChange.Place,
        upTo last: Int64 = .max,
        withActive: Bool = true,
        limit: Int
    ) throws -> StateChangePage {
        try reading {
            try $0.stateChanges(after: place, upTo: last, withActive: withActive, limit: limit)
        }
    }

    package nonisolated func spentTokenHash(of refreshToken: Secret) throws -> [UInt8] {
        try reading { try $0.spentTokenHash(of: refreshToken) }
    }

    package nonisolated func accountCounts() throws -> [AccountState: Int] {
        try reading { try $0.accountCounts() }
    }

    package nonisolated func accountPage(after name: String?, limit: Int) throws -> AccountPage {
        try reading { try $0.accountPage(after: name, limit: limit) }
    }

    package nonisolated func accounts(
        tagged tags: Set<AccountTag>,
        after id: [UInt8]?,
        limit: Int
    ) throws -> TaggedAccounts {
        try reading { try $0.accounts(tagged: tags, after: id, limit: limit) }
    }
}
