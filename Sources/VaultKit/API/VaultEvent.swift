public import FoundationEssentials
internal import Platform
public import VaultStore

/// Something that happened to an account.
public struct VaultEvent: Sendable, Hashable {
    /// What happened.
    public enum Kind: Sendable, Hashable {
        /// A new pair is stored.
        case refreshed(generation: UInt64, expiry: Date?)
        /// Another process had refreshed already.
        case adopted(generation: UInt64)
        /// A refresh failed for the moment; the code says how.
        case refreshFailed(VaultError.Code)
        /// The account came to need a new sign-in: told once of each grant, in every process.
        case signInNeeded
        /// The account came to be in another state, by this process or another.
        case stateChanged(AccountState)
        /// A new pair could not be stored yet and is kept in memory.
        case notSaved
        /// An account was added, or given a new grant.
        case signedIn(generation: UInt64)
        /// An account was removed.
        case removed
    }

    /// The account.
    public let account: AccountName
    /// What happened to it.
    public let kind: Kind
}

/// Hands each event to everybody who listens.
final class EventHub: Sendable {
    // What a listener that does not keep up may miss is the oldest.
    private static let kept = 1024

    private struct State {
        var lastListener: UInt64 = 0
        var listeners: [UInt64: AsyncStream<VaultEvent>.Continuation] = [:]
        var isFinished = false
    }

    private let state = Locked(State())

    func stream() -> AsyncStream<VaultEvent> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: VaultEvent.self,
            bufferingPolicy: .bufferingNewest(Self.kept)
        )
        let id = state.withLock { state -> UInt64? in
            guard !state.isFinished else { return nil }
            state.lastListener += 1
            state.listeners[state.lastListener] = continuation
            return state.lastListener
        }
        guard let id else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { $0.listeners[id] = nil }
        }
        return stream
    }

    func publish(_ kind: VaultEvent.Kind, of account: AccountName) {
        let continuations = state.withLock { Array($0.listeners.values) }
        for continuation in continuations {
            continuation.yield(VaultEvent(account: account, kind: kind))
        }
    }

    func finish() {
        let continuations = state.withLock { state in
            let all = Array(state.listeners.values)
            state.listeners = [:]
            state.isFinished = true
            return all
        }
        for continuation in continuations { continuation.finish() }
    }
}
