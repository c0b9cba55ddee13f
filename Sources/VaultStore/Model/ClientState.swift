package import FoundationEssentials
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
    /// What became of refreshes that were sent once more.
    package var retries = Retries()

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

    /// Accounts that must be refused, with no success between, before the client is what is wrong.
    private static let refusalsToOpen = 3
    /// Seconds between two tries while the breaker is open.
    package static let tryInterval: TimeInterval = 300
    /// More retries than these are not counted.
    private static let retriesCounted = 1_000_000
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
    /// A refresh token that was sent once more was refused.
    case retryRefused
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
            state.breaker = nil
            if isRetry { state.retries.granted = min(retries.granted + 1, Self.retriesCounted) }
        case .refused:
            if !refused.contains(account), refused.count < Self.refusalsToOpen {
                state.refused.append(account)
            }
            if breaker == nil, state.refused.count >= Self.refusalsToOpen {
                state.open(.clientRefused, account, at: now)
            }
        case .retryRefused:
            state.retries.refused = min(retries.refused + 1, Self.retriesCounted)
        case .throttled(let until):
            state.pausedUntil = max(until, pausedUntil ?? until)
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

    /// Whether these are too many of a client's accounts to be believed.
    package static func isIt(_ refused: Int, of accounts: Int) -> Bool {
        refused >= count && refused * 10 >= accounts * 3
    }
}
