internal import Platform
internal import VaultAgentClient
internal import VaultCrypto

/// Hears signals and what is pasted while the agent is asked.
final class SignInEar: Sendable {
    /// Seconds that the name of a sign-in is waited for which a signal ended at its beginning.
    private static let lastWait = 2.0
    /// More than any redirect has.
    private static let longestLine = 1 << 16
    private static let standardInput: Int32 = 0

    private struct State {
        var watch: SignalWatch?
        var signal: Int32?
        var line: Secret?
        var isListening = false
        var ask: (@Sendable () -> Void)?
    }

    private let state = Locked(State())
    private let typed = TypedLine(limit: longestLine)
    let isTerminal = Descriptor.isTerminal(standardInput)

    init() throws {
        try begin()
    }

    /// Whether it is a terminal now: one that was hung up is none any more.
    var isAtTerminal: Bool { Descriptor.isTerminal(Self.standardInput) }

    /// Signals are heard from now on.
    func begin() throws {
        let watch = try SignalWatch()
        state.withLock { $0.watch = watch }
    }

    /// The terminal is as it was, and a signal that was heard takes its effect.
    func end() {
        let (watch, signal) = state.withLock { state in
            defer { state.watch = nil }
            return (state.watch, state.signal)
        }
        watch?.end(raising: signal)
    }

    /// Whether a signal told the program to end.
    var isTold: Bool { state.withLock { $0.signal != nil } }

    /// The line that was pasted; its copies are wiped.
    func takeLine() -> Secret? {
        state.withLock { state in
            defer { state.line = nil }
            return state.line
        }
    }

    /// Listens for a line: from the person at the terminal, whom `ask` asks for it, and from a pipe
    /// only where a line is awaited there.
    func listen(isAwaited: Bool, ask: @escaping @Sendable () -> Void) {
        guard isTerminal || isAwaited else { return }
        let watch = state.withLock { state in
            state.isListening = true
            state.ask = isTerminal ? ask : nil
            return state.watch
        }
        guard isTerminal else { return }
        // A terminal that stays as it is cuts long lines, and nothing else.
        try? watch?.hush(Self.standardInput)
        ask()
    }

    // MARK: - While the agent is asked

    /// The same calls, given up when a signal or a line comes.
    ///
    /// At the beginning, when the sign-in has no name yet, its answer is waited for a moment longer.
    func called(
        _ agent: AgentCalls,
        isBeginning: Bool = false,
        tick: @escaping @Sendable () -> Void = {}
    ) -> AgentCalls {
        var agent = agent
        agent.isWaitedFor = { [self] answer in
            wait(for: answer, until: isBeginning, tick)
        }
        return agent
    }

    private func wait(
        for answer: Int32,
        until isBeginning: Bool,
        _ tick: @Sendable () -> Void
    ) -> Bool {
        var end = Double.infinity
        while Uptime.seconds() < end {
            let (watch, isListening) = state.withLock { ($0.watch, $0.isListening) }
            let descriptors = isListening ? [answer, Self.standardInput] : [answer]
            // Without a watch there is nothing to hear but the answer.
            guard let event = try? watch?.wait(for: descriptors, seconds: 0.5) else { return true }
            switch event {
            case .nothing: tick()
            case .ready(let ready):
                if ready.contains(answer) { return true }
                if hearLine() { return false }
            case .signal(let signal) where SignalWatch.stops(signal): stop(signal)
            case .signal(let signal):
                let isFirst = state.withLock { state in
                    defer { state.signal = state.signal ?? signal }
                    return state.signal == nil
                }
                guard isBeginning, isFirst else { return false }
                end = Uptime.seconds() + Self.lastWait
            }
        }
        return false
    }

    private func hearLine() -> Bool {
        guard var bytes = typed.read(from: Self.standardInput) else { return false }
        let line = Secret(wiping: &bytes)
        state.withLock { state in
            state.line = line
            state.isListening = false
        }
        if isTerminal { try? Descriptor.write("\n", to: 2) }
        return true
    }

    /// Stops with the terminal as it was, and goes on where it was.
    private func stop(_ signal: Int32) {
        let (watch, ask) = state.withLock { state in
            defer { state.watch = nil }
            return (state.watch, state.isListening ? state.ask : nil)
        }
        watch?.end(raising: signal)
        try? begin()
        guard let ask else { return }
        listen(isAwaited: true, ask: ask)
    }
}
