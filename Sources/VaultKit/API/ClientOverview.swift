public import FoundationEssentials
public import OAuth
package import Platform
package import VaultStore

/// A client of the vault's accounts, as a program may show it: no secret.
public struct ClientOverview: Sendable, Hashable {
    /// How a client fares at its token endpoint.
    public enum State: String, Sendable, Hashable, CaseIterable, Codable {
        /// Nothing speaks against it.
        case ok
        /// The authorization server refuses it.
        case refused
        /// So many of its grants were refused at once that the server is doubted, not they.
        case doubted
        /// Its host asked to be left alone for a while.
        case paused
    }

    /// What its server does with used refresh tokens.
    public enum Rotation: Sendable, Hashable {
        /// Nobody knows, or its accounts do not agree.
        case unknown
        /// Somebody said so, or the catalogue of providers does.
        case told(RefreshTokenRotation)
        /// The vault has seen it.
        case learned(RefreshTokenRotation)

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
    /// How it authenticates; nil when its accounts do not agree.
    public let authentication: ClientAuthentication?
    /// Whether another secret is kept, which is tried when the first is refused.
    public let hasOtherSecret: Bool
    /// How it fares.
    public let state: State
    /// Since when nothing is sent for its accounts but one try now and then; nil where that is not so.
    public let since: Date?
    /// When the next of those tries is.
    public let nextTry: Date?
    /// Until when its host wants peace; nil when it does not.
    public let pausedUntil: Date?
    /// What its server does with used refresh tokens.
    public let rotation: Rotation
}

extension ClientOverview {
    /// The clients of accounts in pages, in the order of their identifiers, and the names of the
    /// accounts that do not open.
    static func all(
        at now: Moment,
        page: (_ after: String?) throws -> AccountPage,
        state: (AccountSettings) throws -> ClientState
    ) throws -> (clients: [ClientOverview], damaged: [String]) {
        var groups: [Group.Key: Group] = [:]
        var (damaged, last): ([String], String?) = ([], nil)
        repeat {
            let found = try page(last)
            for account in found.accounts {
                let key = Group.Key(account.settings)
                try groups[key, default: Group()].add(account, state)
            }
            damaged += found.damaged
            last = found.next
        } while last != nil
        let clients = groups.map { key, group in ClientOverview(key, group, at: now) }
        return (clients.sorted { $0.order.lexicographicallyPrecedes($1.order) }, damaged)
    }

    private var order: [String] { [id.rawValue, tokenEndpoint.string] }

    private init(_ key: Group.Key, _ group: Group, at now: Moment) {
        let breakers = group.states.values.compactMap(\.breaker)
        let breaker = breakers.first { $0.reason == .clientRefused } ?? breakers.first
        let pauses = group.states.values.compactMap { state in
            state.pause(at: now).flatMap { _ in state.pausedUntil }
        }
        id = key.client
        tokenEndpoint = key.tokenEndpoint
        accountCount = group.count
        authentication = group.authentications.count == 1 ? group.authentications.first : nil
        hasOtherSecret = group.hasOtherSecret
        since = breaker?.since
        nextTry = breaker?.nextTry
        pausedUntil = pauses.max()
        rotation = group.rotations.count == 1 ? group.rotations.first ?? .unknown : .unknown
        state =
            switch breaker?.reason {
            case .clientRefused: .refused
            case .massRefusal: .doubted
            case nil where group.states.values.contains { !$0.refused.isEmpty }: .refused
            case nil: pauses.isEmpty ? .ok : .paused
            }
    }
}

/// The accounts of one client, as far as they have been read.
private struct Group {
    struct Key: Hashable {
        let client: ClientID
        let tokenEndpoint: EndpointURL

        init(_ settings: AccountSettings) {
            client = settings.client.id
            tokenEndpoint = settings.tokenEndpoint
        }
    }

    var count = 0
    var authentications: Set<ClientAuthentication> = []
    var hasOtherSecret = false
    var rotations: Set<ClientOverview.Rotation> = []
    /// One for each place its refreshes go to; mostly that is the token endpoint alone.
    var states: [EndpointURL: ClientState] = [:]

    mutating func add(
        _ account: StoredAccount,
        _ read: (AccountSettings) throws -> ClientState
    ) throws {
        let settings = account.settings
        let state = try states[settings.refreshEndpoint] ?? read(settings)
        states[settings.refreshEndpoint] = state
        count += 1
        authentications.insert(settings.client.authentication)
        hasOtherSecret = hasOtherSecret || settings.otherSecret != nil
        rotations.insert(Self.rotation(of: account, state))
    }

    private static func rotation(
        of account: StoredAccount,
        _ state: ClientState
    ) -> ClientOverview.Rotation {
        let planner = RefreshPlanner(account: account, client: state, urgency: .routine)
        if let told = account.settings.refresh.rotation, told != .unknown { return .told(told) }
        return planner.rotation == .unknown ? .unknown : .learned(planner.rotation)
    }
}

extension VaultFile {
    /// The clients of its accounts, and the names of the accounts that do not open.
    package func clients(
        at now: Moment
    ) throws -> (clients: [ClientOverview], damaged: [String]) {
        try ClientOverview.all(
            at: now,
            page: { try accountPage(after: $0, limit: 256) },
            state: { try clientState(of: $0) }
        )
    }
}
