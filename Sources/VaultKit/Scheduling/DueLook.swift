internal import FoundationEssentials
internal import VaultStore

/// A look into the store for what is due.
///
/// The earliest of all accounts are read. Where they are too many to see past, as when a client must
/// wait that has very many, some of each further client are read too.
struct DueLook: Sendable {
    /// Clients looked at beyond those that are due first.
    private static let clientsBeyond = 256
    /// Accounts read of each of them.
    private static let accountsBeyond = 64
    /// The most that are read in a hurry.
    private static let hurriedLimit = 64

    private let store: SQLiteStore
    private let latest: Date
    /// Those whose last answer was lost.
    private(set) var hurried: [AccountHint]
    /// Those that are due, the earliest first.
    private(set) var due: [AccountHint]
    /// Whether there are no others.
    private(set) var isWhole: Bool
    /// When the next one is due that is not yet.
    private(set) var next: Date?

    init(store: SQLiteStore, latest: Date, limit: Int) throws {
        self.store = store
        self.latest = latest
        let horizon = latest.addingTimeInterval(Scheduler.longestPause)
        let head = try store.due(before: horizon, limit: limit)
        isWhole = head.count < limit
        due = head.filter { $0.due.map { $0 <= latest } ?? false }
        next = head.dropFirst(due.count).first?.due
        hurried = try store.dueAfterLoss(before: latest, limit: Self.hurriedLimit)
    }

    /// Looks past clients that have to wait: at some others, and the next time at those after them.
    mutating func lookBeyond(
        _ cursor: inout DueQueue.Client,
        mayStart: (DueQueue.Client) -> Bool
    ) throws {
        let found = try store.clients(after: cursor, limit: Self.clientsBeyond)
        cursor = found.count < Self.clientsBeyond ? [] : found.last ?? []
        for client in found where mayStart(client) {
            due += try store.due(of: client, before: latest, limit: Self.accountsBeyond)
        }
    }
}
