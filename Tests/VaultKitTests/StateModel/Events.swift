import FoundationEssentials
import OAuth
import Platform
import VaultCrypto

@testable import VaultKit
@testable import VaultStore

/// What happens to the workers: the server and the network at work, faults, people, time.
struct Events {
    /// Seconds after which a claim is old.
    private static let shortStop = 11.0
    /// Seconds after which a request was given up and every grace period is over.
    private static let longStop = 45.0

    let rules: Rules
    let state: ModelState

    /// Whether seconds matter to the server: else the shortest time says it for all.
    var hasWindow: Bool { state.server.profile.hasWindow }

    func next() -> [Transition] {
        var all: [Transition] = []
        for number in state.workers.indices {
            if case .sent(let refresh, let sent) = state.workers[number].phase {
                all.append(serverAnswers(number, refresh, sent))
            }
            if !rules.outlivesCallers, state.workers[number].isWorking {
                all.append(losesCaller(number))
            }
            if state.workers[number].isStopped { all += goesOn(number) }
        }
        if state.isTimeForStrays {
            for token in Set(state.strays).sorted() { all.append(strayArrives(token)) }
        }
        if state.store.isFull {
            all.append(event(.disk, "has room again") { $0.store.isFull = false })
        }
        if state.isQuiet || isKeptWaiting { all += timePasses() }
        guard state.eventsLeft > 0 else { return all }
        for number in state.workers.indices { all += faults(of: number) }
        return all + diskFills() + signIn()
    }

    private func event(
        _ actor: Move.Actor,
        _ what: StaticString,
        _ change: (inout ModelState) -> Void
    ) -> Transition {
        var next = state
        change(&next)
        return Transition(Move(actor, what), next)
    }

    func fault(
        _ actor: Move.Actor,
        _ what: StaticString,
        _ change: (inout ModelState) -> Void
    ) -> Transition {
        event(actor, what) { next in
            next.eventsLeft -= 1
            next.faults += 1
            change(&next)
        }
    }

    // MARK: - Server and network

    private func serverAnswers(
        _ number: Int,
        _ refresh: Frozen<ModelRefresh>,
        _ sent: Double
    ) -> Transition {
        event(.network, "takes the request there, and the answer back") { next in
            let answer = next.server.answer(to: refresh.value.refreshToken, at: state.now)
            next.workers[number].phase = .answered(refresh, at: sent, answer)
        }
    }

    private func strayArrives(_ token: String) -> Transition {
        event(.network, "delivers a request that nobody waits for") { next in
            if let index = next.strays.firstIndex(of: token) { next.strays.remove(at: index) }
            _ = next.server.answer(to: token, at: state.now)
        }
    }

    private func faults(of number: Int) -> [Transition] {
        let worker = state.workers[number]
        var all: [Transition] = []
        switch worker.phase {
        case .sent(let refresh, let sent) where !worker.isStopped:
            all += requestFaults(number, refresh, sent)
        case .answered(let refresh, let sent, .response(let status, let body))
        where !worker.isStopped:
            all += answerFaults(number, refresh, sent, .response(status, body))
        default: break
        }
        return all + processFaults(number)
    }

    // MARK: - Processes

    private func processFaults(_ number: Int) -> [Transition] {
        let worker = state.workers[number]
        guard worker.isWorking else { return [] }
        let actor = Move.Actor.worker(number)
        var all = [fault(actor, "dies, and starts again at once") { $0.restart(number) }]
        if worker.hasSent, hasWindow {
            all.append(
                fault(actor, "dies, and starts again a while later") { next in
                    next.restart(number)
                    next.now += Self.longStop
                }
            )
        }
        if !worker.isStopped {
            all.append(fault(actor, "is stopped") { $0.workers[number].isStopped = true })
        }
        return all
    }

    /// With rule R3 that changes nothing: the flight does not even know.
    private func losesCaller(_ number: Int) -> Transition {
        event(.worker(number), "loses its caller") { $0.restart(number, as: .idle) }
    }

    private func goesOn(_ number: Int) -> [Transition] {
        let actor = Move.Actor.worker(number)
        func after(_ seconds: Double, _ what: StaticString) -> Transition {
            event(actor, what) { next in
                next.workers[number].isStopped = false
                next.now += seconds
            }
        }
        var all = [after(Self.longStop, "goes on after a while")]
        switch state.workers[number].phase {
        case .begun, .claimed:
            let soon = after(Self.shortStop, "goes on once its claim is old")
            all = hasWindow ? all + [soon] : [soon]
        case .sent(let refresh, let sent), .answered(let refresh, let sent, .response):
            var late = after(Self.longStop, "goes on after its deadline")
            late.state.unanswered.insert(refresh.value.refreshToken)
            if case .sent = state.workers[number].phase {
                late.state.addStray(refresh.value.refreshToken)
            }
            late.state.workers[number].phase = .answered(refresh, at: sent, .timedOut)
            all.append(late)
        default: break
        }
        return all
    }

    // MARK: - Disk, people, time

    private func diskFills() -> [Transition] {
        guard !state.store.isFull, state.workers.contains(where: { $0.isAboutToWrite }) else {
            return []
        }
        return [fault(.disk, "fills up") { $0.store.isFull = true }]
    }

    private func signIn() -> [Transition] {
        guard !state.hasSignedInAgain, !state.store.isFull,
            state.workers.contains(where: { $0.isWorking })
        else { return [] }
        var next = state
        next.eventsLeft -= 1
        next.hasSignedInAgain = true
        let tokens = next.server.signIn()
        next.store.replace(with: next.newAccount(tokens.accessToken, tokens.refreshToken))
        let call = StoreCall.replace(
            accessToken: tokens.accessToken,
            refreshToken: tokens.refreshToken,
            state.now
        )
        return [Transition(Move(.person, "signs in again"), next, call: call)]
    }

    /// Whether all there is to do is to wait for room on the disk.
    private var isKeptWaiting: Bool {
        state.store.isFull && state.secondsLeft > 0
            && state.workers.allSatisfy { $0.isKeeping || $0.phase == .idle }
    }

    /// Nothing is in hand: the next thing is that the account is due, in every process.
    private func timePasses() -> [Transition] {
        guard state.isQuiet else {
            return [
                event(.time, "the stored access token expires") { $0.now += state.secondsLeft }
            ]
        }
        guard !state.isSettled, let due = state.account.health.due else { return [] }
        return [
            event(.time, "the account becomes due") { next in
                next.now = max(next.now, due.timeIntervalSince(Moment.fixed.wall))
                for number in next.workers.indices { next.workers[number].phase = .asking }
            }
        ]
    }
}
