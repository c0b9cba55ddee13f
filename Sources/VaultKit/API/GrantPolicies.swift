internal import Platform
internal import VaultStore

/// Whether adding an account may take the place of one that has its name.
public enum ReplacementPolicy: Sendable, Hashable {
    /// Never: the name is taken.
    case never
    /// Only where the stored account needs a new sign-in, as of the moment of writing: a grant that
    /// somebody renewed a moment ago stays.
    case ifSignInNeeded
    /// Whatever is stored: the new grant is the one that counts.
    case always
}

/// Whether an account may be removed.
public enum RemovalPolicy: Sendable, Hashable {
    /// Whatever is stored.
    case always
    /// Only where the stored account needs a new sign-in, as of the moment of removing: a program
    /// that cleans up after a dead grant never takes away one that somebody renewed meanwhile.
    case ifSignInNeeded
}

extension StoredAccount {
    /// Whether only a new sign-in brings it a token that lives as long as is promised.
    ///
    /// From the seal alone: no column gets to have a grant thrown away. A token whose lifetime nobody
    /// said is never dead by time, as for ``RefreshSchedule/isGood(_:minimumLifetime:provider:at:)``.
    func needsSignIn(at now: Moment) -> Bool {
        if tokens.signInNeeded != nil { return true }
        guard !isRenewable else { return false }
        guard let token = tokens.defaultToken else { return true }
        guard let left = token.secondsLeft(at: now) else { return false }
        return left < RefreshSchedule.promise(of: token, provider: settings.provider)
    }
}

extension Vault {
    /// What the store asks of an account before it lets go of its grant, in the same transaction.
    func needingSignIn() -> AccountCondition {
        { [clock, refresher] account in
            // What a full disk does not take yet is alive as well.
            let unsaved = refresher.unsavedPair(of: account.name)
            return account.needsSignIn(at: clock.now()) && unsaved?.new.id != account.id
        }
    }
}
