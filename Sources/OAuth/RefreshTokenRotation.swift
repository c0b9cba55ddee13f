/// What an authorization server does with a refresh token that was used (RFC 9700 §4.14.2).
///
/// It decides what may be done after a refresh whose answer was lost.
public enum RefreshTokenRotation: Sendable, Hashable {
    /// Nobody knows: one early retry, which teaches something.
    case unknown
    /// The refresh token never changes.
    case none
    /// The one before stays good for as long as the grant lives.
    case overlap
    /// A used refresh token is taken for so many seconds more.
    case grace(seconds: Double)
    /// Each works once; coming again it ends the grant.
    case strict
}

extension RefreshTokenRotation: CustomStringConvertible {
    /// Reads `unknown`, `none`, `overlap`, `grace:SECONDS` or `strict`.
    public init?(_ text: String) {
        switch text {
        case "unknown": self = .unknown
        case "none": self = .none
        case "overlap": self = .overlap
        case "strict": self = .strict
        default:
            guard text.hasPrefix("grace:"), let seconds = Double(text.dropFirst(6)),
                seconds > 0, seconds <= 86_400
            else { return nil }
            self = .grace(seconds: seconds)
        }
    }

    /// The text that it is read from.
    public var description: String {
        switch self {
        case .unknown: "unknown"
        case .none: "none"
        case .overlap: "overlap"
        case .grace(let seconds):
            "grace:" + (Int(exactly: seconds).map { "\($0)" } ?? "\(seconds)")
        case .strict: "strict"
        }
    }
}
