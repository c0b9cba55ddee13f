internal import FoundationEssentials
internal import VaultStore

/// The accounts that are due, as they were read last: whose turn is it? Pure.
///
/// First those whose last answer was lost, because a server takes the same refresh token again for
/// seconds only. Then the client whose host has the least at work, and of its accounts the earliest.
struct DueQueue: Sendable {
    /// Stands for a client; empty for the accounts of which nobody knows it.
    typealias Client = [UInt8]

    /// How much is at work where an account's refresh would go to.
    struct Load: Sendable, Comparable {
        var host: Int
        var client: Int

        static func < (left: Load, right: Load) -> Bool {
            (left.host, left.client) < (right.host, right.client)
        }
    }

    private var hurried: [AccountHint] = []
    private var lanes: [Client: ArraySlice<AccountHint>] = [:]
    private var numbers: Set<Int64> = []

    init() {}

    /// Whether nothing is left.
    var isEmpty: Bool { hurried.isEmpty && lanes.isEmpty }

    /// Adds accounts in the order they are due, each once.
    mutating func add(_ hints: [AccountHint], hurried isHurried: Bool = false) {
        for hint in hints where numbers.insert(hint.number).inserted {
            if isHurried {
                hurried.append(hint)
            } else {
                lanes[hint.lane, default: []].append(hint)
            }
        }
    }

    /// Gives an account its place back: it could not be started after all.
    mutating func putBack(_ hint: AccountHint) {
        lanes[hint.lane] = [hint] + lanes[hint.lane, default: []]
    }

    /// The clients with anything due.
    var clients: some Collection<Client> { lanes.keys }

    /// Takes the account whose turn it is; nil when none may be started.
    ///
    /// - Parameter load: What is at work for a client; nil when nothing may be started for it.
    /// - Returns: The account, which is in the queue no more.
    mutating func next(_ load: (Client) -> Load?) -> AccountHint? {
        if let index = hurried.firstIndex(where: { load($0.lane) != nil }) {
            return hurried.remove(at: index)
        }
        let open = lanes.compactMap { client, hints -> (load: Load, hint: AccountHint)? in
            guard let hint = hints.first, let load = load(client) else { return nil }
            return (load, hint)
        }
        let chosen = open.min { left, right in
            guard left.load == right.load else { return left.load < right.load }
            return (left.hint.due ?? .distantPast) < (right.hint.due ?? .distantPast)
        }
        guard let hint = chosen?.hint else { return nil }
        lanes[hint.lane]?.removeFirst()
        if lanes[hint.lane]?.isEmpty ?? false { lanes[hint.lane] = nil }
        return hint
    }
}

extension AccountHint {
    /// The client whose turn is the account's.
    var lane: DueQueue.Client { client ?? [] }
}
