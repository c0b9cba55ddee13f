import Platform
import VaultKit

/// The time between a server's answer and the vault's commit, in which nothing may happen to this
/// process at a strict server.
final class Window: Sendable {
    private struct State {
        var isMeasuring = false
        var answered: ContinuousClock.Instant?
        var times: [Int64] = []
    }

    private let state = Locked(State())

    var isMeasuring: Bool {
        get { state.withLock { $0.isMeasuring } }
        set { state.withLock { $0.isMeasuring = newValue } }
    }

    /// Every time that was measured.
    var microseconds: [Int64] { state.withLock { $0.times } }

    /// Notes a place of the protocol; false when nothing is measured.
    func passed(_ place: FaultPoints.Place) -> Bool {
        let now = ContinuousClock.now
        return state.withLock { state in
            guard state.isMeasuring else { return false }
            switch place {
            case .answered: state.answered = now
            case .installed:
                if let begin = state.answered {
                    state.times.append(Int64(begin.duration(to: now) / .microseconds(1)))
                }
            default: break
            }
            return true
        }
    }
}
