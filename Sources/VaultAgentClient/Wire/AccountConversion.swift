internal import FoundationEssentials
internal import OAuth
package import VaultAccess

extension AccountDocument {
    /// An account as it goes over the socket.
    package init(_ account: Account) {
        self.init(
            name: account.name.text,
            current: account.isCurrent,
            state: account.state.rawValue,
            issuer: account.issuer,
            expiresAt: account.expiry,
            dueAt: account.due,
            grantEndsAt: account.grantEnd,
            renewal: account.renewal.rawValue,
            tags: account.tags.map(\.text),
            grant: account.grantKind.rawValue,
            subject: account.identity?.subject,
            displayName: account.identity?.name
        )
    }
}

extension AccountStatusDocument {
    /// An account and how it is doing, as it goes over the socket.
    package init(_ account: Account) {
        self.init(
            account: AccountDocument(account),
            detail: Detail(
                generation: account.generation,
                failureCount: account.failureCount,
                lastFailure: account.lastFailure,
                reason: account.reason,
                since: account.since,
                firstSentAt: account.firstSent,
                sentAgainAt: account.sentAgain,
                tokenEndpoint: account.tokenEndpoint.string,
                lifetime: account.lifetime
            )
        )
    }
}

extension Account {
    /// An account as it came over the socket; nil when that makes no sense.
    ///
    /// A state of a newer agent is no reason to do without all the accounts.
    package init?(_ document: AccountStatusDocument) {
        let account = document.account
        guard let name = AccountName(account.name), let isCurrent = account.current,
            let detail = document.detail,
            let tokenEndpoint = try? detail.tokenEndpoint.map({ try EndpointURL($0) }),
            let tags = try? AccountTag.checked(account.tags ?? [])
        else { return nil }
        let state = AccountState(rawValue: account.state)
        self.init(
            name: name,
            isCurrent: isCurrent,
            // As in a file: what is not understood is for a person to look at.
            state: state ?? .verifyBeforeUse,
            reason: state == nil ? account.state : detail.reason,
            since: detail.since,
            firstSent: detail.firstSentAt,
            sentAgain: detail.sentAgainAt,
            issuer: account.issuer,
            tokenEndpoint: tokenEndpoint,
            expiry: account.expiresAt,
            due: account.dueAt,
            grantEnd: account.grantEndsAt,
            // An older agent knows of none, and a newer one perhaps of others.
            renewal: account.renewal.flatMap { RenewalPolicy(rawValue: $0) } ?? .normal,
            generation: detail.generation,
            failureCount: detail.failureCount,
            lastFailure: detail.lastFailure,
            tags: tags.sorted(),
            lifetime: detail.lifetime,
            grantKind: account.grant.flatMap { GrantKind(rawValue: $0) } ?? .refreshToken,
            identity: account.subject.flatMap { subject in
                Identity(subject: subject, name: account.displayName)
            }
        )
    }
}
