internal import FoundationEssentials
internal import Platform
internal import VaultAgentClient
internal import VaultKit
internal import VaultStore

/// Calls of the agent, which is started when it is not there and replaced when it is of an older
/// version.
///
/// A newer agent is left alone: what `/v1` has keeps its meaning, and it says in so many words what it
/// does not know any more.
struct AgentCalls: Sendable {
    private static let version = [("Vault-Version", VaultVersion.current)]
    /// Seconds for an agent that stops: what is in flight is finished and stored first.
    private static let stopLimit = 60.0
    /// Seconds in which the kernel takes back what a killed agent held.
    private static let deathLimit = 2.0

    let location: VaultLocation
    let terminal: Terminal
    /// What waits for answers in place of the calls themselves, which sleep.
    var isWaitedFor: AgentConnection.Wait?

    private var connection: AgentConnection {
        AgentConnection(
            directory: location.directory,
            socketName: VaultLocation.socketName,
            isWaitedFor: isWaitedFor
        )
    }

    /// A call, with the agent started if need be.
    func call(
        _ method: String,
        _ target: String,
        body: [UInt8] = []
    ) throws
        -> AgentConnection.Answer
    {
        // Before anything is sent: in a directory of others the socket may be anybody's.
        try VaultFile.checkFiles(of: location)
        var answer = try sendStarting(method, target, body)
        if answer.status == 426 {
            answer = try replacing { try sendStarting(method, target, body) }
        }
        return try checked(answer)
    }

    /// Stops the agent of an older version before a call, which starts one of this.
    ///
    /// Keys that somebody typed go with it, which nobody would notice until a token is needed.
    private func replacing<Answer>(_ call: () throws -> Answer) throws -> Answer {
        let wasUnlocked = (try? status())?.locked == false
        try stop()
        let answer = try call()
        if wasUnlocked, (try? status())?.locked == true {
            terminal.warning(
                "the agent was replaced by one of this version; the vault is locked: vault unlock"
            )
        }
        return answer
    }

    /// The same, decoding the answer.
    func call<Document: Decodable>(
        _ method: String,
        _ target: String,
        body: [UInt8] = [],
        as type: Document.Type
    ) throws -> Document {
        try Self.decode(type, call(method, target, body: body))
    }

    /// A call of an agent that runs and has the keys; nil when there is none.
    func callUnlocked<Document: Decodable>(
        _ method: String,
        _ target: String,
        as type: Document.Type
    ) throws -> Document? {
        guard let answer = try callUnlocked(method, target) else { return nil }
        return try Self.decode(type, answer)
    }

    /// A call of an agent that runs; nil when none does.
    func callRunning<Document: Decodable>(
        _ method: String,
        _ target: String,
        body: [UInt8],
        as type: Document.Type
    ) throws -> Document? {
        try VaultFile.checkFiles(of: location)
        do {
            let answer = try connection.send(method, target, headers: Self.version, body: body)
            return try Self.decode(type, checked(answer))
        } catch AgentConnection.Failure.notRunning {
            return nil
        }
    }

    /// The same as `callUnlocked` without decoding the answer.
    func callUnlocked(_ method: String, _ target: String) throws -> AgentConnection.Answer? {
        try VaultFile.checkFiles(of: location)
        do {
            let answer = try connection.send(method, target, headers: Self.version)
            // An older one may not know what is asked, and replacing it would end what is
            // unlocked.
            return answer.status == 426 || answer.status == 423 ? nil : try checked(answer)
        } catch AgentConnection.Failure.notRunning {
            return nil
        }
    }

    /// What a running agent says of itself; nil when none runs.
    func status() throws -> AgentDocument? {
        // Where a service manager listens, asking would start one.
        guard try isRunning() else { return nil }
        do {
            let answer = try checked(try connection.send("GET", "/v1/status", timeout: 10))
            return try Self.decode(AgentStatusDocument.self, answer).agent
        } catch let failure as AgentConnection.Failure {
            guard try isGone(after: failure) else { throw failure }
            return nil
        }
    }

    private static func decode<Document: Decodable>(
        _ type: Document.Type,
        _ answer: AgentConnection.Answer
    ) throws -> Document {
        do {
            return try WireJSON.decode(type, from: answer.body)
        } catch {
            throw AgentConnection.Failure.malformedAnswer
        }
    }

    /// Starts one that stays; false when one runs already, and answers.
    ///
    /// One that has the lock and does not answer gets ready, or stores what is in flight before it goes:
    /// that is waited for.
    func start() throws -> Bool {
        let end = Uptime.seconds() + Self.stopLimit
        while true {
            if try AgentLauncher(location: location).start(onDemand: false) { return true }
            if try status() != nil { return false }
            guard Uptime.seconds() < end else {
                throw VaultError(.busy, facts: [.reason: "agent_stopping"])
            }
            Pause.milliseconds(50)
        }
    }

    /// Asks a running agent to stop and waits until it is gone; false when none ran.
    @discardableResult
    func stop() throws -> Bool {
        // Where a service manager listens, asking would start one.
        guard try isRunning() else { return false }
        do {
            _ = try checked(connection.send("POST", "/v1/stop", timeout: 10))
        } catch let failure as AgentConnection.Failure {
            guard try isGone(after: failure) else { throw failure }
            return false
        }
        let end = Uptime.seconds() + Self.stopLimit
        while try isRunning() {
            guard Uptime.seconds() < end else {
                throw VaultError(.busy, facts: [.reason: "agent_stopping"])
            }
            Pause.milliseconds(20)
        }
        return true
    }

    /// Whether an agent holds the lock of the one that runs; looking does not keep another out.
    private func isRunning() throws -> Bool {
        guard FileSystem.exists(location.lock) else { return false }
        return try FileLock(path: location.lock).isHeldElsewhere(.agent)
    }

    /// Whether there is no agent behind a failed call.
    ///
    /// The connection to one that was killed waits in the queue of its socket and breaks as the kernel
    /// closes that, which can be a moment before its lock is free.
    private func isGone(after failure: AgentConnection.Failure) throws -> Bool {
        if failure == .notRunning { return true }
        guard case .broken = failure else { return false }
        let end = Uptime.seconds() + Self.deathLimit
        while try isRunning() {
            guard Uptime.seconds() < end else { return false }
            Pause.milliseconds(20)
        }
        return true
    }

    private func sendStarting(
        _ method: String,
        _ target: String,
        _ body: [UInt8]
    ) throws -> AgentConnection.Answer {
        let end = Uptime.seconds() + Self.stopLimit
        while true {
            do {
                return try connection.send(method, target, headers: Self.version, body: body)
            } catch AgentConnection.Failure.notRunning {
                guard Uptime.seconds() < end else {
                    throw VaultError(.busy, facts: [.reason: "agent_stopping"])
                }
                let isNew = try AgentLauncher(location: location).start(onDemand: true)
                // Where another has the lock it does not listen yet, or it stores what is in
                // flight before it goes.
                if !isNew { Pause.milliseconds(100) }
            }
        }
    }

    private func checked(
        _ answer: AgentConnection.Answer
    ) throws -> AgentConnection.Answer {
        guard answer.status >= 300 else { return answer }
        guard let document = try? WireJSON.decode(ErrorDocument.self, from: answer.body) else {
            throw AgentConnection.Failure.malformedAnswer
        }
        throw VaultError(document.error)
    }
}
