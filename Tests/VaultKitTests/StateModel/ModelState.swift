import FoundationEssentials
import OAuth
import Platform
import VaultCrypto

@testable import VaultKit
@testable import VaultStore

/// Everything there is at one moment: what is stored, the server, the network, two processes.
struct ModelState: Hashable, Sendable {
    /// Seconds since the first access token was obtained.
    var now: Double
    var store: ModelStore
    var server: ModelServer
    var workers = [Worker(), Worker()]
    /// Who holds the account's lock; the kernel frees it when that process dies.
    var lock: Int?
    /// Which worker had the lock first; the other is as good, so only one is tried.
    var hasBeenLocked = false
    /// Requests on their way that nobody waits for any more.
    var strays: [String] = []
    /// Refresh tokens that were sent, and nobody read the answer or lived to store it.
    var unanswered: Set<String> = []
    /// Faults that may come yet, and other events.
    var eventsLeft: Int
    /// Faults that came.
    var faults = 0
    var hasSignedInAgain = false
    /// Whether a grace period was missed for a fault, and not by what was planned.
    var wasHeldUp = false

    /// An account whose refresh has just become due.
    init(_ profile: ModelServer.Profile, told rotation: RefreshTokenRotation?, events: Int) {
        let account = StoredAccount.modelled(rotation)
        let due = account.health.due?.timeIntervalSince(Moment.fixed.wall) ?? 0
        now = due
        store = ModelStore(account)
        server = ModelServer(profile)
        eventsLeft = events
    }

    /// Faults first, other events after them.
    var troubles: Int { 10 * faults - eventsLeft }

    /// Time goes by for a fault.
    mutating func holdUp(_ seconds: Double) {
        now += seconds
        if server.profile.hasWindow, seconds >= ModelServer.window { wasHeldUp = true }
    }

    var moment: Moment { .fixed.advanced(by: now) }
    var account: StoredAccount { store.account.value }

    /// Whether no process has anything in hand.
    var isQuiet: Bool { workers.allSatisfy { $0.phase == .idle } }

    /// Whether the server gives nothing more for the refresh token that is stored.
    var isDead: Bool { !server.accepts(account.tokens.refreshToken?.text ?? "", at: now) }

    /// Seconds for which the stored access token is valid.
    var secondsLeft: Double {
        account.tokens.accessTokens.first?.secondsLeft(at: moment) ?? 0
    }
}

/// A process that works on the account.
struct Worker: Hashable, Sendable {
    var phase = Phase.asking
    var isStopped = false
}

/// Where a process is in `RefreshOperation`; each step from one to the next is atomic.
enum Phase: Hashable, Sendable {
    case idle
    /// About to look whether the account is due.
    case asking
    /// Step 2: polling for the lock, with the account as it was.
    case waiting(Stale)
    /// Step 3: about to read again.
    ///
    /// After a start that came to nothing, perhaps with the client's other secret.
    case locked(Stale, attempt: Int, hasSwapped: Bool)
    /// Step 4: about to write the intent.
    case begun(Frozen<ModelRefresh>)
    /// Step 5: about to look how old the claim is.
    case claimed(Frozen<ModelRefresh>)
    /// Step 6: about to send.
    case checked(Frozen<ModelRefresh>)
    /// Step 6: the request is on its way.
    case sent(Frozen<ModelRefresh>, at: Double)
    /// Step 7: the server has committed; its answer, or the failure of the transport, is there.
    case answered(Frozen<ModelRefresh>, at: Double, ModelAnswer)
    /// Step 8: about to store the pair, and after that perhaps what was wrong with the answer.
    case installing(Frozen<ModelRefresh>, Frozen<ModelPair>, then: Frozen<Abandonment>?)
    /// About to claim the new pair, in order to write down what was wrong.
    case rescued(Frozen<ModelRefresh>, then: Frozen<Abandonment>)
    /// About to end the claim.
    case abandoning(Frozen<ModelRefresh>, Frozen<Abandonment>)
    /// About to end the claim and to start over, with the client's other secret.
    case swapping(Frozen<ModelRefresh>, Frozen<Abandonment>)
    /// Step 10: the store did not take the pair.
    case keeping(Frozen<ModelRefresh>, Frozen<ModelPair>)
    /// Step 9: stored; about to wake whoever waits.
    case installed(Frozen<StoredAccount>)
}

/// The pair that is not good enough any more.
struct Stale: Hashable, Sendable {
    let generation: UInt64
    /// The whole account, for a worker that does not read it again.
    let account: Frozen<StoredAccount>?
}

/// A refresh that has begun.
struct ModelRefresh: Hashable, Sendable {
    var stale: Stale
    /// The account as it was read under the lock.
    var account: Frozen<StoredAccount>
    var client: ClientState
    var intent: Intent
    var attempt: Int
    var hasSwapped = false

    var planner: RefreshPlanner {
        var planner = RefreshPlanner(account: account.value, client: client, urgency: .routine)
        planner.hasSwapped = hasSwapped
        return planner
    }
    var claimed: ClaimedIntent {
        ClaimedIntent(generation: account.value.generation, intent: intent)
    }
    var refreshToken: String { account.value.tokens.refreshToken?.text ?? "" }
}

extension StoredAccount {
    /// The account that every exploration begins with: its first token lives for an hour.
    fileprivate static func modelled(_ rotation: RefreshTokenRotation?) -> StoredAccount {
        var account = StoredAccount.fixture(refreshToken: "refresh-1-1")
        account.generation = 1
        account.settings.refresh.rotation = rotation
        account.settings.client = Client(
            id: account.settings.client.id,
            secret: Secret("secret-1"),
            authentication: .clientSecretPost
        )
        account.settings.otherSecret = Secret("secret-2")
        account.tokens.accessTokens[0].value = Secret("access-1-1")
        account.health.due = Moment.fixed.wall.addingTimeInterval(
            RefreshSchedule.delay(
                lifetime: 3600,
                refreshIn: nil,
                account: account.id,
                generation: 1
            ).rounded(.up)
        )
        return account
    }
}
