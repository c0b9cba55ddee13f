internal import Platform
internal import VaultAgentClient
internal import VaultKit

/// Tells whoever started the agent how that went: one line of JSON on its descriptor, or words on
/// stderr when somebody or something runs it without one; and the service manager.
struct Readiness: Sendable {
    let descriptor: Int32?
    let notifier: ServiceNotifier
    let failure: @Sendable (any Error) -> AgentFailure

    func ready(isLocked: Bool) {
        notifier.ready(Self.status(isLocked: isLocked))
        say(
            AgentReadyDocument(pid: ProcessIdentity.current, locked: isLocked ? true : nil),
            ["vault-agent: \(Self.status(isLocked: isLocked))"]
        )
    }

    static func status(isLocked: Bool) -> String {
        isLocked ? "ready, and locked" : "ready"
    }

    func alreadyRunning() {
        say(
            AgentReadyDocument(pid: 0, alreadyRunning: true),
            ["vault-agent: another agent of this vault is running"]
        )
    }

    /// Says why it does not start; the exit code for that.
    func failed(_ error: any Error) -> Int32 {
        let words = failure(error)
        notifier.failed(words.line)
        say(
            AgentReadyDocument(pid: 0, error: ErrorDocument.Failure(VaultError(error))),
            ["vault: error: \(words.line)"]
                + [words.hint].compactMap { $0.map { "vault: hint: \($0)" } }
        )
        return words.exitCode
    }

    private func say(_ document: AgentReadyDocument, _ words: [String]) {
        guard let descriptor else {
            try? Descriptor.write(words.joined(separator: "\n") + "\n", to: 2)
            return
        }
        if let line = try? WireJSON.encode(document) {
            try? Descriptor.write(String(decoding: line, as: UTF8.self) + "\n", to: descriptor)
        }
        Descriptor.close(descriptor)
    }
}
