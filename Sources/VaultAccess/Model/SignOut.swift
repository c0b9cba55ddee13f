/// How signing out of an account went.
public struct SignOut: Sendable {
    /// Whether the account is still there, waiting for a new sign-in; else it was erased.
    public let isKept: Bool
    /// Why the grant has to be taken as alive, where it was let go of all the same; nil once the
    /// authorization server has revoked it.
    public let failure: VaultError?
    /// The other accounts that the same person signed in to with the same client: several
    /// providers end every grant of the two at once.
    public let sharing: [AccountName]

    package init(isKept: Bool, failure: VaultError?, sharing: [AccountName]) {
        self.isKept = isKept
        self.failure = failure
        self.sharing = sharing
    }
}
