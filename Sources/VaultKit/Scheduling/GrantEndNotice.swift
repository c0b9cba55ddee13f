internal import FoundationEssentials
internal import Platform
internal import VaultStore

/// Tells of grants that come to their end although they are used: a person has to sign in anew
/// before.
///
/// Once an hour all those that end within the longest notice are looked through, some with each
/// round.
struct GrantEndNotice: Sendable {
    /// Seconds from the end of one look through them to the next.
    private static let interval = 3600.0
    /// Accounts that are opened in one round.
    private static let batch = 64

    private var next: Moment?
    /// What the look has come to.
    private var place = GrantEndPlace.start

    /// Looks at some, if it is time to.
    mutating func look(at now: Moment, _ vault: Vault) async throws {
        // The clock may be another boot's: then it is time.
        if let next, (0...Self.interval).contains(next.seconds(since: now)) { return }
        let latest = now.wall.addingTimeInterval(GrantEnd.earliestNotice)
        let found = try vault.store.grantEnds(after: place, before: latest, limit: Self.batch)
        let accounts = found.compactMap { Self.account($0, vault.store, at: now) }
        if !accounts.isEmpty {
            for account in try await vault.store.tellGrantEnds(of: accounts, at: now.wall) {
                guard let end = account.grantEnd else { continue }
                vault.hub.publish(.grantEnds(end.date), of: account.name)
            }
        }
        if let last = found.last, found.count == Self.batch {
            place = last
        } else {
            (place, next) = (.start, now.advanced(by: Self.interval))
        }
    }

    /// An account that is to be told of now.
    ///
    /// Not one that needs a person already, or whose refresh is due: that may well move the end.
    private static func account(
        _ place: GrantEndPlace,
        _ store: SQLiteStore,
        at now: Moment
    ) -> StoredAccount? {
        guard let name = AccountName(place.name), let account = try? store.account(named: name),
            account.tokens.signInNeeded == nil, let end = account.grantEnd,
            let notice = end.notice, notice <= now.wall, end.date > now.wall,
            account.health.failures != nil || !RefreshSchedule.isDue(account, at: now)
        else { return nil }
        return account
    }
}
