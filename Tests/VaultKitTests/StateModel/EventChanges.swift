import FoundationEssentials
import Platform
import VaultCrypto

@testable import VaultKit
@testable import VaultStore

extension Worker {
    /// Whether a refresh is in its hands, beyond waiting for the lock.
    var isWorking: Bool {
        switch phase {
        case .idle, .asking, .waiting: false
        default: true
        }
    }

    /// Whether its refresh token may have been sent.
    var hasSent: Bool {
        switch phase {
        case .sent, .answered, .installing, .keeping: true
        default: false
        }
    }

    var isKeeping: Bool {
        if case .keeping = phase { return true }
        return false
    }

    /// Whether its next step writes to the store.
    var isAboutToWrite: Bool {
        switch phase {
        case .begun, .claimed, .installing, .rescued, .abandoning, .swapping: true
        default: false
        }
    }
}

extension ModelState {
    /// Whether the path has come to its end: the account works again, or wants a person.
    var isSettled: Bool {
        if account.tokens.signInNeeded != nil { return true }
        return store.generation > 1 && account.intent == nil && !isDead
            && account.health.failures == nil
    }

    /// Whether a request that nobody waits for may arrive now.
    ///
    /// In between it may as well, but nobody can tell the difference: what it does to the server
    /// shows only to the next request, and while time passes.
    var isTimeForStrays: Bool {
        workers.contains { worker in
            if case .sent = worker.phase { return true }
            return worker.isStopped
        } || workers.allSatisfy { !$0.isWorking || $0.isKeeping }
    }

    /// What becomes of a request that nobody waits for is up to the network.
    mutating func addStray(_ token: String) {
        strays.append(token)
        strays.sort()
    }

    /// The process dies with all it had in memory; the kernel frees its lock.
    mutating func restart(_ number: Int, as phase: Phase = .asking) {
        switch workers[number].phase {
        case .sent(let refresh, _):
            unanswered.insert(refresh.value.refreshToken)
            addStray(refresh.value.refreshToken)
        case .answered(let refresh, _, _), .installing(let refresh, _, _), .keeping(let refresh, _):
            unanswered.insert(refresh.value.refreshToken)
        default: break
        }
        workers[number] = Worker(phase: phase)
        release(number)
    }

    /// The account with the tokens of a new grant.
    func newAccount(_ accessToken: String, _ refreshToken: String) -> NewAccount {
        NewAccount(accessToken, refreshToken, account.settings, at: now, account.id)
    }
}

extension NewAccount {
    init(
        _ accessToken: String,
        _ refreshToken: String,
        _ settings: AccountSettings,
        at now: Double,
        _ account: AccountID
    ) {
        var token = StoredAccessToken.fixture(lifetime: 3600, age: -now)
        token.value = Secret(accessToken)
        let delay = RefreshSchedule.delay(
            lifetime: 3600,
            refreshIn: nil,
            account: account,
            generation: 1
        )
        let moment = Moment.fixed.advanced(by: now)
        self.init(
            settings: settings,
            tokens: TokenSet(refreshToken: Secret(refreshToken), accessTokens: [token]),
            health: StoredAccount.Health(
                state: .active,
                due: moment.wall.addingTimeInterval(delay),
                since: moment.wall
            ),
            expiry: token.expiry(at: moment)
        )
    }
}
