internal import FoundationEssentials
internal import Platform
internal import VaultAgentClient
internal import VaultKit
internal import VaultStore

/// Tells the person's program (`on_event` of the configuration) what needs a person.
///
/// The vault's own stream is the queue: it holds a bounded number of events, and what did not get its
/// turn before the agent ended comes again after `position`. Nothing that renews waits for any of it.
final class EventHooks: Sendable {
    /// What a program knows of the agent's environment; no credentials.
    private static let variables = [
        "HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "TZ", "PATH", "XDG_CONFIG_HOME",
        "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR", "TMPDIR",
    ]
    /// Seconds for programs that run when the agent ends.
    private static let lastGrace = 2.0

    private struct State {
        var program: String?
        var vault: Vault?
        var listener: Task<Void, Never>?
    }

    private let location: VaultLocation
    private let log: AgentLog
    private let processes: HookProcesses
    private let state: Locked<State>

    init(
        _ location: VaultLocation,
        log: AgentLog,
        program: String? = nil,
        processes: HookProcesses = HookProcesses()
    ) {
        self.location = location
        self.log = log
        self.processes = processes
        state = Locked(State(program: program))
    }

    /// Tells this program from now on, or none.
    func use(_ program: String?) {
        change { state in
            guard state.program != program else { return false }
            state.program = program
            return true
        }
    }

    /// A session begins.
    func begin(_ vault: Vault) {
        change { state in
            state.vault = vault
            return true
        }
    }

    /// A session ends; programs that run are left to it.
    func end() {
        change { state in
            state.vault = nil
            return true
        }
    }

    /// The agent ends.
    func finish() async {
        end()
        let listener = state.withLock { $0.listener }
        await listener?.value
        await processes.finish(within: Self.lastGrace)
    }

    /// Puts another listener in the place of the one there is, if something has changed.
    private func change(_ body: (inout State) -> Bool) {
        state.withLock { state in
            guard body(&state) else { return }
            let last = state.listener
            last?.cancel()
            guard let vault = state.vault, let program = state.program else {
                // Awaited by the next one, or at the end.
                return
            }
            state.listener = Task { [weak self] in
                // One at a time: they share the file of what was told.
                await last?.value
                await self?.listen(to: vault, program)
            }
        }
    }

    private func listen(to vault: Vault, _ program: String) async {
        let progress = HookProgress(location: location)
        var ledger = progress.read()
        let events = ledger.position.map { vault.events(after: $0) } ?? vault.events
        for await event in events {
            if event.kind == .missed { log.write("hook_missed") }
            var next = ledger
            let what = next.take(event)
            guard let what, let account = event.account else {
                ledger = next
                continue
            }
            // Not noted as told before there is a place to tell it from.
            guard await processes.takePlace() else { return }
            ledger = next
            do {
                try progress.write(ledger)
            } catch {
                // It may be told again after a restart, which is better than not at all.
                log.write("hook_unnoted", ["reason": "\(VaultError(error).code)"])
            }
            var document = HookDocument(
                event: what,
                account: account.text,
                time: .now,
                vault: location.directory
            )
            if case .grantEnds(let date) = event.kind { document.grantEndsAt = date }
            tell(program, document)
        }
    }

    private func tell(_ program: String, _ document: HookDocument) {
        var environment: [String: String] = ["PATH": "/usr/local/bin:/usr/bin:/bin"]
        for name in Self.variables { environment[name] = Environment[name] ?? environment[name] }
        environment["VAULT_HOME"] = location.directory
        let facts = ["event": document.event.rawValue, "account": document.account]
        let log = log
        do {
            let input = Array(try WireJSON.encode(document)) + [UInt8(ascii: "\n")]
            // Somebody may have changed it since the configuration was read.
            try FilePermissions.checkProgram(program)
            processes.run(program, input: input, environment: environment) { ending in
                log.write(hook: facts, ending)
            }
        } catch {
            processes.giveBackPlace()
            log.write("hook_refused", facts.merging(["reason": "\(VaultError(error).code)"]) { $1 })
        }
    }
}

extension AgentLog {
    fileprivate func write(
        hook facts: [String: String],
        _ ending: Result<SupervisedProcess.Ending, SystemError>
    ) {
        let (what, reason) =
            switch ending {
            case .success(.exited(0)): ("hook_done", String?.none)
            case .success(.exited(let code)): ("hook_failed", "exit \(code)")
            case .success(.signalled(let signal)): ("hook_failed", "signal \(signal)")
            case .success(.killed): ("hook_killed", nil)
            case .failure(let error): ("hook_failed", error.description)
            }
        var facts = facts
        facts["reason"] = reason
        write(what, facts)
    }
}
