import FoundationEssentials

@testable import VaultKit
@testable import VaultStore

/// Steps 7 to 10: from the answer to the commit.
extension WorkerSteps {
    func read(
        _ answer: ModelAnswer,
        _ refresh: Frozen<ModelRefresh>,
        _ sent: Double
    ) -> Transition {
        switch readings.conclusion(answer, refresh, sent: sent, at: state.now) {
        case .install(let pair):
            step(
                rules.storesFirst ? "reads a new pair" : "reads a new pair and shows it",
                to: .installing(refresh, pair, then: nil),
                flaw: rules.storesFirst ? nil : .shownBeforeStored
            )
        case .rescue(let pair, let end):
            step("reads a refresh token alone", to: .installing(refresh, pair, then: end))
        case .abandon(let end):
            step(
                "reads that there is no pair",
                to: .abandoning(refresh, end),
                flaw: answer.hasRefreshToken ? .tokensDropped : nil
            )
        case .swapSecret(let end):
            step("reads that its client secret is wrong", to: .swapping(refresh, end))
        }
    }

    func install(
        _ pair: Frozen<ModelPair>,
        _ refresh: Frozen<ModelRefresh>,
        _ end: Frozen<Abandonment>?
    ) -> Transition {
        guard !state.store.isFull else {
            return step("cannot store the pair, and keeps it", to: .keeping(refresh, pair))
        }
        return commit(pair, refresh) { account in
            guard let end else { return .installed(account) }
            var rescued = refresh.value
            rescued.account = account
            rescued.intent = Intent(
                refreshTokenHash: Array(rescued.refreshToken.utf8),
                claimed: state.moment,
                attempt: 1
            )
            return .rescued(Frozen(rescued), then: end)
        }
    }

    func keepSaving(_ pair: Frozen<ModelPair>, _ refresh: Frozen<ModelRefresh>) -> [Transition] {
        state.store.isFull ? [] : [commit(pair, refresh) { .installed($0) }]
    }

    private func commit(
        _ pair: Frozen<ModelPair>,
        _ refresh: Frozen<ModelRefresh>,
        then phase: (Frozen<StoredAccount>) -> Phase
    ) -> Transition {
        let generation = refresh.value.account.value.generation
        let compares = rules.comparesGenerations
        var store = state.store
        let isInstalled = store.install(pair.value, for: generation, compares: compares)
        return step(
            isInstalled
                ? "stores the pair" : "keeps the late pair aside, and adopts what is stored",
            to: isInstalled ? phase(store.account) : .idle,
            call: .install(pair, generation: generation)
        ) { $0.store = store }
    }

    func claimAgain(_ refresh: Frozen<ModelRefresh>, _ end: Frozen<Abandonment>) -> Transition {
        let (account, intent) = (refresh.value.account, refresh.value.intent)
        var store = state.store
        guard !store.isFull,
            store.claim(account.value, intent, compares: rules.comparesGenerations)
        else { return step("cannot write down what failed", to: .idle) }
        return step(
            "claims, to write down what failed",
            to: .abandoning(refresh, end),
            call: .claim(account, intent)
        ) { $0.store = store }
    }

    func abandon(_ refresh: Frozen<ModelRefresh>, _ end: Frozen<Abandonment>) -> Transition {
        guard !state.store.isFull else {
            return step("cannot write down what failed", to: .idle)
        }
        let claimed = refresh.value.claimed
        return step(
            "writes down what failed",
            to: .idle,
            call: .abandon(end, claimed)
        ) { next in
            next.store.abandon(claimed, end.value, compares: rules.comparesGenerations)
        }
    }

    /// Tries the client's other secret.
    func swap(_ refresh: Frozen<ModelRefresh>, _ end: Frozen<Abandonment>) -> Transition {
        guard !state.store.isFull else {
            return step("cannot swap the client secret", to: .idle)
        }
        return startOver(refresh, "swaps the client secret, and starts over", end)
    }

    func publish(_ account: Frozen<StoredAccount>) -> Transition {
        let token = account.value.tokens.accessTokens.first?.value.text ?? ""
        return step(
            "serves the new token",
            to: .idle,
            flaw: state.store.hasStored(token) ? nil : .shownBeforeStored
        )
    }
}

extension Worker {
    /// Whether its refresh gets nowhere for now.
    var isStalled: Bool {
        if isKeeping { return true }
        if case .answered(_, _, .timedOut) = phase { return true }
        return isStopped
    }
}

extension ModelState {
    /// Frees the lock if this worker has it.
    mutating func release(_ worker: Int) {
        if lock == worker { lock = nil }
    }
}
