import FoundationEssentials

@testable import VaultKit
@testable import VaultStore

/// Somebody who asks for a token, in every state there is: the shipping look-up answers.
extension ModelState {
    func readerFlaws(_ rules: Rules) -> [Flaw] {
        let isGood = secondsLeft >= RefreshSchedule.defaultPromise
        if !rules.servesGoodTokens, isGood, workers.indices.contains(where: waits) {
            return [.readerKeptWaiting]
        }
        // What a process has in memory matters only if the store has refused it.
        let keepers = workers.filter { $0.isKeeping && !$0.isStopped }
        let askers = keepers.count == workers.count ? keepers : keepers + [Worker(phase: .idle)]
        return askers.compactMap { worker in
            switch look(in: worker) {
            case .serve(let token):
                isShown(token.value.text, in: worker) ? nil : .shownBeforeStored
            case .refresh, .fail: isGood ? .readerKeptWaiting : nil
            }
        }
    }

    private func look(in worker: Worker) -> TokenLookup.Decision {
        let lookup = TokenLookup(minimumLifetime: nil, newerThan: nil, now: moment)
        guard case .keeping(let refresh, let pair) = worker.phase else {
            return lookup.decide(account)
        }
        var new = refresh.value.account.value
        new.generation += 1
        new.tokens = pair.value.tokens
        return lookup.decide(
            account,
            unsaved: TokenRefresher.UnsavedPair(old: refresh.value.account.value, new: new)
        )
    }

    /// Whether the token may be shown: it is stored, or the one before it has died meanwhile.
    private func isShown(_ token: String, in worker: Worker) -> Bool {
        if store.hasStored(token) { return true }
        return worker.isKeeping && secondsLeft < RefreshSchedule.lastMoment
    }

    /// Whether a reader that waits for the flight of this process waits for what may never come.
    private func waits(_ number: Int) -> Bool {
        switch workers[number].phase {
        case .waiting: lock.map { workers[$0].isStalled } ?? false
        case .answered: workers[number].isStalled
        default: false
        }
    }
}
