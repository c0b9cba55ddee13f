public import FoundationEssentials
internal import OAuth
public import VaultAccess

extension Account {
    /// An account as a vault would show it, for tests of what an app makes of accounts.
    ///
    /// - Parameters:
    ///   - name: Its name.
    ///   - state: How it is doing.
    ///   - isCurrent: Whether it is the one that is used when none is named.
    ///   - reason: Why it is not active.
    ///   - expiry: When its access token expires.
    ///   - due: When its next refresh is planned.
    ///   - grantEnd: When its grant ends.
    ///   - renewal: When it is renewed in the background.
    ///   - generation: The number of pairs that it has had.
    ///   - tags: What it is found by.
    /// - Returns: The account, of the authorization server `as.example`.
    public static func testing(
        _ name: AccountName,
        state: AccountState = .active,
        isCurrent: Bool = false,
        reason: String? = nil,
        expiry: Date? = nil,
        due: Date? = nil,
        grantEnd: Date? = nil,
        renewal: RenewalPolicy = .normal,
        generation: UInt64 = 1,
        tags: Set<AccountTag> = []
    ) -> Account {
        Account(
            name: name,
            isCurrent: isCurrent,
            state: state,
            reason: reason,
            since: nil,
            firstSent: nil,
            sentAgain: nil,
            issuer: "https://as.example",
            tokenEndpoint: EndpointURL(unchecked: "https://as.example/token"),
            expiry: expiry,
            due: due,
            grantEnd: grantEnd,
            renewal: renewal,
            generation: generation,
            failureCount: 0,
            lastFailure: nil,
            tags: tags.sorted()
        )
    }
}

extension VaultEvent {
    /// An event as a vault would tell it, for tests of what an app makes of events.
    ///
    /// - Parameters:
    ///   - kind: What happened.
    ///   - account: To which account; nil for `missed` alone.
    ///   - position: Its number, of events that are kept in a vault.
    /// - Returns: The event.
    public static func testing(
        _ kind: Kind,
        of account: AccountName?,
        at position: Int64? = nil
    ) -> VaultEvent {
        VaultEvent(
            account: account,
            kind: kind,
            position: position.map { Position(rawValue: $0) }
        )
    }
}
