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
    /// From the seal alone: no column gets to have a grant thrown away.
    func needsSignIn(at now: Moment) -> Bool {
        if tokens.signInNeeded != nil { return true }
        guard tokens.refreshToken == nil else { return false }
        guard let token = tokens.defaultToken else { return true }
        let promise = RefreshSchedule.promise(of: token, provider: settings.provider)
        return token.plannedSecondsLeft(at: now) < promise
    }
}

extension Vault {
    /// What the store asks of an account before it lets go of its grant, in the same transaction.
    func needingSignIn() -> AccountCondition {
        { [clock, refresher] account in
            // What a full disk does not take yet is alive as well.
            account.needsSignIn(at: clock.now()) && refresher.unsavedPair(of: account.name) == nil
        }
    }
}
