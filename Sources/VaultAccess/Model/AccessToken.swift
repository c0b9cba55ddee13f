public import FoundationEssentials
public import OAuth
public import VaultCrypto

/// An access token that was valid when it was handed out.
public struct AccessToken: Sendable, Hashable {
    /// The account it belongs to.
    public let account: AccountName
    /// The token itself.
    public let value: Secret
    /// How it is presented, as `Bearer` (RFC 6749 §7.1).
    public let tokenType: String
    /// When it expires; nil when the authorization server did not say.
    public let expiry: Date?
    /// Counts the refreshes that this account has had: a later token has a higher one.
    public let generation: UInt64
    /// The scope it was granted, where the answer said.
    public let grantedScope: Scope?
    /// Set when the token is handed out although it could not be renewed.
    public let warning: Warning?

    /// Why a token that is still valid will not be followed by another for now.
    public enum Warning: String, Sendable, Hashable {
        /// The account needs a new sign-in.
        case signInNeeded = "sign_in_needed"
        /// The refresh token may have been spent elsewhere: only a person has it sent.
        case verifyBeforeUse = "verify_before_use"
        /// The account was moved to another vault, which renews its token.
        case paused
        /// Refreshing fails for the moment.
        case refreshFailing = "refresh_failing"
        /// A newer pair could not be stored yet.
        case notSaved = "not_saved"
    }

    /// A token from its parts, for a source of tokens of your own.
    public init(
        account: AccountName,
        value: Secret,
        tokenType: String = "Bearer",
        expiry: Date? = nil,
        generation: UInt64,
        grantedScope: Scope? = nil,
        warning: Warning? = nil
    ) {
        self.account = account
        self.value = value
        self.tokenType = tokenType
        self.expiry = expiry
        self.generation = generation
        self.grantedScope = grantedScope
        self.warning = warning
    }
}
