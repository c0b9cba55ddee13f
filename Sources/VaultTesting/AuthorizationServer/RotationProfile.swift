/// What the server does with a refresh token that was used.
public enum RotationProfile: Sendable, Hashable {
    /// The refresh token never changes.
    case none
    /// Each refresh token works once; using it again revokes everything of its grant.
    case strict
    /// A used refresh token still gives the current pair for some seconds; after that as strict.
    case grace(seconds: Double)
    /// A used refresh token gives the current pair one more time within some seconds; after that as
    /// strict.
    case graceOnce(seconds: Double)
    /// A used refresh token works until the access token it gave is first presented.
    case ackOnUse

    /// Reads `none`, `strict`, `grace:SECONDS`, `grace-once:SECONDS` or `ack-on-use`.
    public init?(_ text: String) {
        let words = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard words.count == 2 else {
            switch text {
            case "none": self = .none
            case "strict": self = .strict
            case "ack-on-use": self = .ackOnUse
            default: return nil
            }
            return
        }
        guard let seconds = Double(words[1]), seconds >= 0 else { return nil }
        switch words[0] {
        case "grace": self = .grace(seconds: seconds)
        case "grace-once": self = .graceOnce(seconds: seconds)
        default: return nil
        }
    }

    /// Seconds for which a used refresh token still counts; nil where it does not.
    var grace: Double? {
        switch self {
        case .grace(let seconds), .graceOnce(let seconds): seconds
        case .none, .strict, .ackOnUse: nil
        }
    }
}
