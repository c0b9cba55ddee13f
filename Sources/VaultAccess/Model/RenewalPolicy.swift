/// When an account's tokens are renewed in the background.
///
/// Whoever asks for a token gets one that is good enough, whatever the policy is.
public enum RenewalPolicy: String, Sendable, Hashable, CaseIterable {
    /// At half of the access token's life: a resource server always has most of an hour of a token
    /// that lasts two.
    case eager
    /// Shortly before the access token expires.
    case normal
    /// Not at all, but that the refresh token is used before it would lapse from disuse.
    case manual
}
