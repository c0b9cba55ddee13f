/// What the server does with a refresh token that was used.
public enum RotationProfile: Sendable, Hashable {
    /// The refresh token never changes.
    case none
    /// Each refresh token works once; using it again revokes everything of its grant.
    case strict
    /// A used refresh token still gives the current pair for some seconds; after that as strict.
    case grace(seconds: Double)
    /// A used refresh token works until the access token it gave is first presented.
    case ackOnUse

    /// Reads `none`, `strict`, `grace:SECONDS` or `ack-on-use`.
    public init?(_ text: String) {
        switch text {
        case "none": self = .none
        case "strict": self = .strict
        case "ack-on-use": self = .ackOnUse
        default:
            guard text.hasPrefix("grace:"), let seconds = Double(text.dropFirst(6)), seconds >= 0
            else { return nil }
            self = .grace(seconds: seconds)
        }
    }
}
