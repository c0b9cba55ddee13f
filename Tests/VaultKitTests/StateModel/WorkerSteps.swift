import FoundationEssentials
import Platform

@testable import VaultKit
@testable import VaultStore

/// What `RefreshOperation` does, step by step and in its order; what is decided in each step the
/// shipping planner decides.
struct WorkerSteps {
    /// Numbers drawn for back-offs: the middle, as random numbers go.
    static let random = 0.5
    /// Claims made before giving up.
    private static let claimTries = 3

    let rules: Rules
    let state: ModelState
    let readings: Readings
    /// Whose step it is.
    let number: Int

    /// What the worker may do now.
    func next() -> [Transition] {
        guard !worker.isStopped else { return [] }
        switch worker.phase {
        case .idle: return []
        case .asking: return [ask()]
        case .waiting(let stale): return wait(stale)
        case .locked(let stale, let attempt, let hasSwapped):
            return [begin(stale, attempt, hasSwapped: hasSwapped)]
        case .begun(let refresh): return [claim(refresh)]
        case .claimed(let refresh): return [checkAge(refresh)]
        case .checked(let refresh): return [send(refresh)]
        case .sent: return []
        case .answered(let refresh, let sent, let answer): return [read(answer, refresh, sent)]
        case .installing(let refresh, let pair, let end): return [install(pair, refresh, end)]
        case .rescued(let refresh, let end): return [claimAgain(refresh, end)]
        case .abandoning(let refresh, let end): return [abandon(refresh, end)]
        case .swapping(let refresh, let end): return [swap(refresh, end)]
        case .keeping(let refresh, let pair): return keepSaving(pair, refresh)
        case .installed(let account): return [publish(account)]
        }
    }

    private var worker: Worker { state.workers[number] }

    func step(
        _ what: StaticString,
        to phase: Phase,
        call: StoreCall? = nil,
        flaw: Flaw? = nil,
        _ change: (inout ModelState) -> Void = { _ in }
    ) -> Transition {
        var next = state
        next.workers[number].phase = phase
        change(&next)
        if phase == .idle {
            next.release(number)
        }
        return Transition(Move(.worker(number), what), next, call: call, flaw: flaw)
    }

    // MARK: - Steps 1 to 3

    private func ask() -> Transition {
        let account = state.account
        guard account.tokens.signInNeeded == nil, RefreshSchedule.isDue(account, at: state.moment)
        else { return step("finds nothing due", to: .idle) }
        return step(
            "finds the account due",
            to: .waiting(
                Stale(
                    generation: account.generation,
                    account: rules.rereads ? nil : state.store.account
                )
            )
        )
    }

    private func wait(_ stale: Stale) -> [Transition] {
        if rules.rereads, state.store.generation > stale.generation {
            return [step("adopts the pair that is stored", to: .idle)]
        }
        // Either could be first; that A is says it for both.
        guard number == 0 || state.hasBeenLocked else { return [] }
        guard let holder = state.lock, rules.locks else {
            return [
                step("takes the lock", to: .locked(stale, attempt: 1, hasSwapped: false)) { next in
                    next.lock = number
                    next.hasBeenLocked = true
                }
            ]
        }
        guard state.workers[holder].isStalled else { return [] }
        return [step("gives up after a minute", to: .idle) { $0.holdUp(60) }]
    }

    private func begin(
        _ stale: Stale,
        _ attempt: Int,
        hasSwapped: Bool
    ) -> Transition {
        let account = stale.account ?? state.store.account
        if account.value.generation > stale.generation {
            return step("reads, and adopts the pair that is stored", to: .idle)
        }
        var refresh = ModelRefresh(
            stale: stale,
            account: account,
            client: state.store.client,
            intent: Intent(refreshTokenHash: [], claimed: state.moment, attempt: 1),
            attempt: attempt,
            hasSwapped: hasSwapped
        )
        switch refresh.planner.begin(at: state.moment, random: Self.random) {
        case .claim:
            refresh.intent = refresh.planner.intent(
                refreshTokenHash: Array(refresh.refreshToken.utf8),
                startsOver: attempt > 1,
                at: state.moment
            )
            return step("reads, and may refresh", to: .begun(Frozen(refresh)))
        case .wait: return step("reads, and waits for others", to: .idle)
        case .refuse(_, let health):
            guard let health, !state.store.isFull else {
                return step("reads, and may not refresh", to: .idle)
            }
            let generation = account.value.generation
            let call = StoreCall.postpone(generation, health, state.moment.wall)
            return step("reads, and puts the refresh off", to: .idle, call: call) { next in
                next.store.postpone(generation, health, at: state.moment.wall)
            }
        }
    }

    // MARK: - Steps 4 to 6

    private func claim(_ refresh: Frozen<ModelRefresh>) -> Transition {
        guard rules.claimsFirst else {
            return step("claims nothing", to: .claimed(refresh))
        }
        guard !state.store.isFull else {
            return step("cannot claim, and sends nothing", to: .idle)
        }
        let (account, intent) = (refresh.value.account, refresh.value.intent)
        var store = state.store
        guard store.claim(account.value, intent, compares: rules.comparesGenerations) else {
            let call = StoreCall.claim(account, intent)
            return startOver(refresh, "finds the account changed", hasSwapped: false, call: call)
        }
        return step("claims", to: .claimed(refresh), call: .claim(account, intent)) { next in
            next.store = store
        }
    }

    /// Ends the claim and begins once more with the account as it is then.
    func startOver(
        _ refresh: Frozen<ModelRefresh>,
        _ what: StaticString,
        _ end: Frozen<Abandonment>
    ) -> Transition {
        let claimed = refresh.value.claimed
        let call = StoreCall.abandon(end, claimed)
        let hasSwapped = refresh.value.hasSwapped || end.value.swapsSecret
        return startOver(refresh, what, hasSwapped: hasSwapped, call: call) { next in
            next.store.abandon(claimed, end.value, compares: rules.comparesGenerations)
        }
    }

    private func startOver(
        _ refresh: Frozen<ModelRefresh>,
        _ what: StaticString,
        hasSwapped: Bool,
        call: StoreCall,
        _ change: (inout ModelState) -> Void = { _ in }
    ) -> Transition {
        let (stale, attempt) = (refresh.value.stale, refresh.value.attempt)
        guard attempt == Self.claimTries else {
            let phase = Phase.locked(stale, attempt: attempt + 1, hasSwapped: hasSwapped)
            return step(what, to: phase, call: call, change)
        }
        // Whoever starts over for the last time looks once more, and adopts what is stored.
        let isMissed = !rules.rereads && state.store.generation > stale.generation
        return step(what, to: .idle, call: call, flaw: isMissed ? .failsForNothing : nil, change)
    }

    private func checkAge(_ refresh: Frozen<ModelRefresh>) -> Transition {
        if RefreshPlanner.maySend(refresh.value.intent, at: state.moment) {
            return step("finds its claim new", to: .checked(refresh))
        }
        guard !state.store.isFull else {
            return step("finds its claim old and cannot say so", to: .idle)
        }
        let end = Frozen(refresh.value.planner.withdrawal())
        return startOver(refresh, "finds its claim old, and starts over", end)
    }

    private func send(_ refresh: Frozen<ModelRefresh>) -> Transition {
        let account = state.account
        // After a new sign-in the claim is gone with what it was for.
        let isClaimed =
            account.intent == refresh.value.intent
            || account.generation > refresh.value.account.value.generation
        return step(
            "sends",
            to: .sent(refresh, at: state.now),
            flaw: isClaimed ? isTooEarly(refresh.value) ? .sentTooEarly : nil : .sentWithoutIntent
        )
    }

    /// A strict server ends the grant for it: the access token is used up first.
    private func isTooEarly(_ refresh: ModelRefresh) -> Bool {
        let account = refresh.account.value
        guard account.settings.refresh.rotation == .strict,
            state.unanswered.contains(refresh.refreshToken),
            let secondsLeft = account.tokens.accessTokens.first?.secondsLeft(at: state.moment)
        else { return false }
        return secondsLeft > RefreshSchedule.defaultPromise
    }
}
