internal import FoundationEssentials
internal import OAuth
package import Platform
package import VaultStore

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
            // A token that is never renewed belongs to no client.
            for account in found.accounts where account.settings.grantKind != .static {
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
        let pauses = group.states.values.flatMap { state in
            let limited = state.limitWait(isPlanned: true, at: now.wall)
            return [
                state.pause(at: now).flatMap { _ in state.pausedUntil },
                limited.map { now.wall.addingTimeInterval($0) },
            ].compactMap { $0 }
        }
        let state: State =
            switch breaker?.reason {
            case .clientRefused: .refused
            case .massRefusal: .doubted
            case nil where group.states.values.contains { !$0.refused.isEmpty }: .refused
            case nil: pauses.isEmpty ? .ok : .paused
            }
        self.init(
            id: key.client,
            tokenEndpoint: key.tokenEndpoint,
            accountCount: group.count,
            authentication: group.authentications.count == 1 ? group.authentications.first : nil,
            hasOtherSecret: group.hasOtherSecret,
            state: state,
            since: breaker?.since,
            nextTry: breaker?.nextTry,
            pausedUntil: pauses.max(),
            rotation: group.rotations.count == 1 ? group.rotations.first ?? .unknown : .unknown
        )
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
