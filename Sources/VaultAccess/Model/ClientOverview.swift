public import FoundationEssentials
public import OAuth

/// A client of the vault's accounts, as a program may show it: no secret.
public struct ClientOverview: Sendable, Hashable {
    /// How a client fares at its token endpoint.
    ///
    /// A newer agent may know others than those that have a name here.
    public struct State: RawRepresentable, Sendable, Hashable, Codable, CustomStringConvertible {
        /// The state's name in JSON.
        public let rawValue: String

        /// A state by its name.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The state's name.
        public var description: String { rawValue }

        /// Nothing speaks against it.
        public static let ok = State(rawValue: "ok")
        /// The authorization server refuses it.
        public static let refused = State(rawValue: "refused")
        /// So many of its grants were refused at once that the server is doubted, not they.
        public static let doubted = State(rawValue: "doubted")
        /// Its host asked to be left alone for a while, or takes no more requests for now.
        public static let paused = State(rawValue: "paused")
    }

    /// What its server does with used refresh tokens.
    public enum Rotation: Sendable, Hashable {
        /// Nobody knows, or its accounts do not agree.
        case unknown
        /// Somebody said so, or the catalogue of providers does.
        case told(RefreshTokenRotation)
        /// The vault has seen it.
        case learned(RefreshTokenRotation)

        /// The one that a name and a source stand for; nil where there is none.
        package init?(name: String, source: String?) {
            guard let rotation = RefreshTokenRotation(name) else { return nil }
            switch source {
            case nil: self = .unknown
            case "told": self = .told(rotation)
            case "learned": self = .learned(rotation)
            default: return nil
            }
        }

        /// What it does, by the names that a rotation is told by.
        package var name: String {
            switch self {
            case .unknown: RefreshTokenRotation.unknown.description
            case .told(let rotation), .learned(let rotation): rotation.description
            }
        }

        /// Where that is known from; nil when it is not known.
        package var source: String? {
            switch self {
            case .unknown: nil
            case .told: "told"
            case .learned: "learned"
            }
        }
    }

    /// Its identifier.
    public let id: ClientID
    /// The token endpoint of its accounts: the same identifier at another is another client.
    public let tokenEndpoint: EndpointURL
    /// How many accounts were signed in with it.
    public let accountCount: Int
    /// How it authenticates; nil when its accounts do not agree, or only a newer agent knows the way.
    public let authentication: ClientAuthentication?
    /// Whether another secret is kept, which is tried when the first is refused.
    public let hasOtherSecret: Bool
    /// How it fares.
    public let state: State
    /// Since when nothing is sent for its accounts but one try now and then; nil where that is not so.
    public let since: Date?
    /// When the next of those tries is.
    public let nextTry: Date?
    /// Until when its host wants peace, or a limit of requests has the next one wait; nil when neither
    /// is so.
    public let pausedUntil: Date?
    /// What its server does with used refresh tokens.
    public let rotation: Rotation

    package init(
        id: ClientID,
        tokenEndpoint: EndpointURL,
        accountCount: Int,
        authentication: ClientAuthentication?,
        hasOtherSecret: Bool,
        state: State,
        since: Date?,
        nextTry: Date?,
        pausedUntil: Date?,
        rotation: Rotation
    ) {
        self.id = id
        self.tokenEndpoint = tokenEndpoint
        self.accountCount = accountCount
        self.authentication = authentication
        self.hasOtherSecret = hasOtherSecret
        self.state = state
        self.since = since
        self.nextTry = nextTry
        self.pausedUntil = pausedUntil
        self.rotation = rotation
    }
}
