internal import CPlatform
internal import Glibc

/// Something about the machine that may make what was planned untrue.
package enum SystemChange: Sendable, Hashable {
    /// Somebody set the wall clock, or the machine came back from a suspend.
    case clockSet
    /// A link, an address or a route came or went.
    case network
}

/// Notices from the kernel, for whoever listens: a thread that sleeps until there is one.
///
/// Where the kernel does not tell (no rtnetlink in a sandbox), nothing comes: they make somebody
/// look sooner, and nobody relies on them.
package final class SystemChanges: Sendable {
    /// What happens from now on; of each kind one at a time waits to be taken.
    package static var stream: AsyncStream<SystemChange> { shared.stream() }

    private static let shared = SystemChanges(
        clock: cplatform_watch_wall_clock(),
        network: cplatform_watch_network()
    )

    /// Milliseconds for the rest of what comes in bursts: a link, its addresses, their routes.
    private static let settling: UInt32 = 100

    private struct State {
        var listeners: [Int: AsyncStream<SystemChange>.Continuation] = [:]
        var lastNumber = 0
    }

    private let state = Locked(State())

    /// Begins to watch; a negative descriptor is one that could not be had.
    init(clock: Int32, network: Int32) {
        guard clock >= 0 || network >= 0 else { return }
        // Without a thread nothing is noticed.
        try? DedicatedThread.start { [weak self] in
            Self.watch(clock, network) { self?.tell($0) }
        }
    }

    func stream() -> AsyncStream<SystemChange> {
        // There are two kinds.
        let (stream, continuation) = AsyncStream.makeStream(
            of: SystemChange.self,
            bufferingPolicy: .bufferingNewest(2)
        )
        let number = state.withLock { state in
            state.lastNumber += 1
            state.listeners[state.lastNumber] = continuation
            return state.lastNumber
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { _ = $0.listeners.removeValue(forKey: number) }
        }
        return stream
    }

    private func tell(_ change: SystemChange) {
        let listeners = state.withLock { Array($0.listeners.values) }
        for listener in listeners { listener.yield(change) }
    }

    private static func watch(
        _ clock: Int32,
        _ network: Int32,
        _ tell: (SystemChange) -> Void
    ) -> Never {
        while true {
            // poll(2) passes over a descriptor that is negative.
            let ready = Descriptor.waitReadable([clock, network], milliseconds: -1)
            let isSet = ready[0] && cplatform_take_clock_change(clock) == 1
            let isOther = ready[1] && cplatform_take_network_changes(network) == 1
            if isSet { tell(.clockSet) }
            if isOther {
                Pause.milliseconds(settling)
                _ = cplatform_take_network_changes(network)
                tell(.network)
            }
            // Readable and nothing to read: never a loop that takes a whole core.
            if !isSet, !isOther { Pause.milliseconds(1000) }
        }
    }
}
