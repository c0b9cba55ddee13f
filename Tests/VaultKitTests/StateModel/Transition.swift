import FoundationEssentials

@testable import VaultStore

/// One thing that happens, and the state after it.
struct Transition: Sendable {
    let move: Move
    var state: ModelState
    /// What was written to the store.
    var call: StoreCall?
    /// What the step itself did wrong.
    var flaw: Flaw?

    init(_ move: Move, _ state: ModelState, call: StoreCall? = nil, flaw: Flaw? = nil) {
        self.move = move
        self.state = state
        self.call = call
        self.flaw = flaw
    }
}

/// A line of a trace.
struct Move: Sendable, CustomStringConvertible {
    /// Who may act.
    enum Actor: Sendable {
        case worker(Int)
        case network, person, disk, time
    }

    let actor: Actor
    let what: StaticString

    init(_ actor: Actor, _ what: StaticString) {
        self.actor = actor
        self.what = what
    }

    /// The same, whichever process it was.
    var byAnybody: String {
        if case .worker = actor { "a process \(what)" } else { description }
    }

    var description: String {
        switch actor {
        case .worker(let number): "\(number == 0 ? "A" : "B") \(what)"
        case .network: "the network \(what)"
        case .person: "a person \(what)"
        case .disk: "the disk \(what)"
        case .time: "\(what)"
        }
    }
}

/// A write to the store, and what the model has after it.
struct StoreWrite: Sendable {
    let call: StoreCall
    let account: StoredAccount
    let client: ClientState
}

/// What a claim is told by.
struct ClaimedIntent: Hashable, Sendable {
    let generation: UInt64
    let intent: Intent
}

/// A write to the store, as `AccountStore` has it.
enum StoreCall: Hashable, Sendable {
    case claim(Frozen<StoredAccount>, Intent)
    case install(Frozen<ModelPair>, generation: UInt64)
    case abandon(Frozen<Abandonment>, ClaimedIntent)
    case postpone(UInt64, StoredAccount.Health, Date)
    case replace(accessToken: String, refreshToken: String, Double)
}
