/// Visits every state that a scenario can come to, the nearest first: a trace is a shortest one.
struct Explorer {
    /// States after which an exploration has got out of hand.
    private static let limit = 2_000_000

    let scenario: Scenario
    private(set) var states: [Frozen<ModelState>] = []
    private(set) var transitionCount = 0
    private let readings = Readings()
    private var parents: [Int] = []
    private var arrivals: [(move: Move, call: StoreCall?)?] = []
    private var known: Set<Frozen<ModelState>> = []
    /// The first state with each flaw.
    private(set) var flaws: [Flaw: Int] = [:]
    /// For each end, the nearest state with the fewest faults.
    private(set) var ends: [End: Int] = [:]
    /// The states in which a path may end.
    private(set) var settled: [Int] = []

    /// Explores everything, or until a flaw is found that is looked for.
    init(_ scenario: Scenario, until wanted: Flaw? = nil) {
        self.scenario = scenario
        add(scenario.start, parent: -1, nil)
        var next = 0
        while next < states.count, states.count < Self.limit {
            if let wanted, flaws[wanted] != nil { return }
            expand(next)
            next += 1
        }
    }

    private mutating func expand(_ index: Int) {
        let state = states[index].value
        let rules = scenario.rules
        var all = Events(rules: rules, state: state).next()
        for number in state.workers.indices {
            all += WorkerSteps(rules: rules, state: state, readings: readings, number: number)
                .next()
        }
        transitionCount += all.count
        for transition in all {
            let added = add(transition.state, parent: index, (transition.move, transition.call))
            if let flaw = transition.flaw, flaws[flaw] == nil, let added { flaws[flaw] = added }
        }
    }

    /// Remembers a state that is new; nil when it is not.
    @discardableResult
    private mutating func add(
        _ state: ModelState,
        parent: Int,
        _ arrival: (Move, StoreCall?)?
    ) -> Int? {
        let frozen = Frozen(state)
        guard known.insert(frozen).inserted else { return nil }
        let index = states.count
        states.append(frozen)
        parents.append(parent)
        arrivals.append(arrival.map { (move: $0.0, call: $0.1) })
        for flaw in state.flaws(scenario.rules) where flaws[flaw] == nil { flaws[flaw] = index }
        if state.isQuiet, state.isSettled { settled.append(index) }
        if let end = state.end {
            let isBetter = ends[end].map { states[$0].value.troubles > state.troubles } ?? true
            if isBetter { ends[end] = index }
        }
        return index
    }

    // MARK: - Traces

    /// What led to a state, line by line.
    func trace(to index: Int) -> [String] {
        path(to: index).compactMap { arrivals[$0].map { "\($0.move)" } }
    }

    /// What was written to the store on the way to a state, each with the account after it.
    func writes(to index: Int) -> [StoreWrite] {
        path(to: index).compactMap { index in
            guard let call = arrivals[index]?.call else { return nil }
            let store = states[index].value.store
            return StoreWrite(call: call, account: store.account.value, client: store.client)
        }
    }

    /// Everything that happened anywhere.
    var moves: Set<String> {
        Set(arrivals.compactMap { $0?.move.byAnybody })
    }

    private func path(to index: Int) -> [Int] {
        var path: [Int] = []
        var at = index
        while at >= 0 {
            path.append(at)
            at = parents[at]
        }
        return path.reversed()
    }
}
