internal import OAuth
internal import Platform
internal import VaultStore

/// What a refresh works with.
struct RefreshEnvironment: Sendable {
    let store: any AccountStore
    let lockFile: FileLock
    var transport: any HTTPTransport
    let clock: any VaultClock
    let random: @Sendable () -> Double
    let faults: FaultPoints
}

/// How an operation ended, and what is left to do for the pair it holds.
enum RefreshResult: Sendable {
    case ended(RefreshOutcome)
    /// The store did not take the pair: the keeper goes on trying.
    case unsaved(RefreshOutcome, PairKeeper)
    /// The store did not take how the claim ended: it is to be written before anything is sent.
    case unwritten(RefreshOutcome, UnwrittenEnd)

    var outcome: RefreshOutcome {
        switch self {
        case .ended(let outcome), .unsaved(let outcome, _), .unwritten(let outcome, _): outcome
        }
    }
}
