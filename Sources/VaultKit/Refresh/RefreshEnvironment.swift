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
    /// As an earlier refresh ended, which the store still does not take: nothing was tried.
    case known(RefreshOutcome)

    var outcome: RefreshOutcome {
        switch self {
        case .ended(let outcome), .unsaved(let outcome, _), .known(let outcome): outcome
        }
    }
}
