package import FoundationEssentials
package import OAuth
package import VaultCrypto

/// How a client fares at its token endpoint, from all of its accounts together.
///
/// A hint, as no seal covers it: it decides how long to wait and no more.
package struct ClientState: Sendable, Hashable {
    /// The accounts refused as this client since the last success, three at most.
    package var refused: [AccountID] = []
    /// Set while nothing is sent but one try now and then.
    package var breaker: Breaker?
    /// Until when its host wants peace.
    package var pausedUntil: Date?
    /// How many requests its host takes, where that is limited.
    package var limit: RequestLimit?
    /// Until when the requests that were sent are paid for, by that limit.
    package var paidUntil: Date?
    /// What became of refreshes that were sent once more.
    package var retries = Retries()
    /// Grants refused at once, with none granted between.
    package var refusedGrants = RefusedGrants()

    package init() {}

    /// Why and until when nothing is sent for a client's accounts.
    package struct Breaker: Sendable, Hashable {
        /// The reasons, by the names they are stored under.
        package enum Reason: String, Sendable {
            /// The client itself is refused: its secret, or its address.
            case clientRefused = "client_refused"
            /// So many grants were refused at once that the server is doubted, not they.
            case massRefusal = "mass_refusal"
        }

        package var reason: Reason
        package var since: Date
        /// When the next account may try.
        package var nextTry: Date
        package var lastTried: AccountID?

        package init(reason: Reason, since: Date, nextTry: Date, lastTried: AccountID? = nil) {
            self.reason = reason
            self.since = since
            self.nextTry = nextTry
            self.lastTried = lastTried
        }
    }

    /// Seconds for which a server that refuses very many grants at once is not believed: as long as
    /// refused grants are probed.
    package static let doubt: TimeInterval = 4 * 86_400

    /// Refreshes sent once more after an answer was lost, by what came of them.
    package struct Retries: Sendable, Hashable {
        package var granted = 0
        package var refused = 0

        package init(granted: Int = 0, refused: Int = 0) {
            self.granted = granted
            self.refused = refused
        }
    }

    /// Grants refused within one window, with none granted between.
    package struct RefusedGrants: Sendable, Hashable {
        package var count = 0
        package var since: Date?

        package init(count: Int = 0, since: Date? = nil) {
            self.count = count
            self.since = since
        }

        mutating func count(at now: Date) {
            let age = since.map { now.timeIntervalSince($0) } ?? -1
            if (0..<MassRefusal.window).contains(age) {
                count = min(count + 1, ClientState.retriesCounted)
            } else {
                (count, since) = (1, now)
            }
        }
    }

    /// Seconds that a server's wish for peace is heeded at most.
    package static let longestPause: TimeInterval = 3600

    /// Accounts that must be refused, with no success between, before the client is what is wrong.
    private static let refusalsToOpen = 3
    /// Seconds between two tries while the breaker is open.
    package static let tryInterval: TimeInterval = 300
    /// More retries than these are not counted.
    fileprivate static let retriesCounted = 1_000_000
}

extension ClientState.Breaker {
    /// Whether a refused grant is taken for a fault of the server's.
    package func doubtsRefusals(at now: Date) -> Bool {
        reason == .massRefusal
            && (0..<ClientState.doubt).contains(now.timeIntervalSince(since))
    }
}

/// What an answer to one account says about its client.
package enum ClientEffect: Sendable, Hashable {
    /// A token was granted.
    case granted(isRetry: Bool)
    /// The client was refused.
    case refused
    /// A grant was refused; as an early retry after a lost answer, that tells of the server.
    case grantRefused(isEarlyRetry: Bool)
    /// The host wants peace until then.
    case throttled(until: Date)
}

extension ClientState {
    /// The state after an answer to one of the client's accounts.
    package func after(_ effect: ClientEffect, account: AccountID, at now: Date) -> ClientState {
        var state = self
        switch effect {
        case .granted(let isRetry):
            state.refused = []
            state.refusedGrants = RefusedGrants()
            state.breaker = nil
            if isRetry { state.retries.granted = min(retries.granted + 1, Self.retriesCounted) }
        case .refused:
            if !refused.contains(account), refused.count < Self.refusalsToOpen {
                state.refused.append(account)
            }
            if breaker == nil, state.refused.count >= Self.refusalsToOpen {
                state.open(.clientRefused, account, at: now)
            }
        case .grantRefused(let isEarlyRetry):
            if isEarlyRetry {
                state.retries.refused = min(retries.refused + 1, Self.retriesCounted)
            }
            state.refusedGrants.count(at: now)
        case .throttled(let until):
            // The wall clock may have been wrong when the one before was written.
            let known = pausedUntil.flatMap {
                $0.timeIntervalSince(now) <= Self.longestPause ? $0 : nil
            }
            state.pausedUntil = max(until, known ?? until)
        }
        return state
    }

    /// Opens the breaker after an answer to this account.
    package mutating func open(_ reason: Breaker.Reason, _ account: AccountID, at now: Date) {
        breaker = Breaker(
            reason: reason,
            since: now,
            nextTry: now.addingTimeInterval(Self.tryInterval),
            lastTried: account
        )
    }
}

/// The one try that an open breaker allows, taken together with the claim it is for.
package struct BreakerTurn: Sendable, Hashable {
    /// When this try was to be, as read: whoever else takes it changes that.
    package var due: Date
    /// When the next may be.
    package var next: Date

    package init(due: Date, next: Date) {
        self.due = due
        self.next = next
    }
}

/// When so many grants of one client are refused at once, it is the server that is doubted.
package enum MassRefusal {
    /// Seconds within which refusals count as being at once.
    package static let window: TimeInterval = 300
    private static let count = 20

    /// Whether so many refused accounts of a client are too many to be believed: a third of them, as
    /// good as, or so many in a row that nothing was granted between.
    package static func isIt(_ refused: Int, inARow: Int, of accounts: Int) -> Bool {
        inARow >= count || refused >= count && refused * 10 >= accounts * 3
    }
}
