internal import FoundationEssentials
internal import OAuth
internal import Platform
internal import VaultAgentClient
internal import VaultCrypto
internal import VaultHTTPServer
internal import VaultKit
internal import VaultStore

extension AgentRoutes {
    /// Seconds: more is no time to wait for.
    private static let longestDelay = Double(UInt32.max)

    var agentStatus: AgentStatusDocument {
        AgentStatusDocument(
            agent: AgentDocument(
                running: true,
                pid: ProcessIdentity.current,
                version: VaultVersion.current,
                locked: service.vault.lockReason != nil,
                lockReason: service.vault.lockReason,
                locksAt: service.vault.lockDate,
                memoryLocked: MemoryLock.isWorking,
                unsaved: service.vault.unsavedAccounts.map(\.text)
            )
        )
    }

    func unlock(_ request: HTTPServerRequest) async throws -> HTTPServerResponse {
        let body = try UnlockBody(request.body)
        try await service.vault.unlock(body.unlock, lockAfter: body.lockAfter)
        return try Self.json(agentStatus)
    }

    func lock(_ request: HTTPServerRequest) async throws -> HTTPServerResponse {
        let seconds = try Self.lockDelay(request.body)
        let lapsing = await lapsingAccounts()
        if let seconds {
            service.vault.lock(after: seconds)
        } else {
            try await service.vault.lock(because: .asked)
        }
        return try Self.json(LockedDocument(agent: agentStatus.agent, lapsing: lapsing))
    }

    /// The accounts that are renewed while the vault is unlocked.
    private func lapsingAccounts() async -> [AccountDocument] {
        let accounts = try? await service.vault.session().vault.accounts()
        return (accounts ?? []).filter { $0.due != nil }.map { AccountDocument($0) }
    }

    private static func lockDelay(_ body: [UInt8]) throws -> Double? {
        guard !body.isEmpty else { return nil }
        let field = "afterSeconds"
        return try BodyMembers(body, known: [field]).optional(field, number)
            .map { try delay($0, field: field) }
    }

    /// A number that is written as one.
    static func number(_ value: JSONValue) -> Double? {
        guard case .number = value else { return nil }
        return value.double
    }

    static func delay(_ seconds: Double, field: String) throws -> Double {
        guard seconds > 0, seconds <= longestDelay else {
            throw VaultError(.invalidInput, facts: [.field: field])
        }
        return seconds
    }
}

/// What a request to unlock holds.
///
/// Read without Foundation's decoder, which would leave the secret in text that nobody wipes.
struct UnlockBody {
    let unlock: Unlock
    let lockAfter: Double?

    private static let ways = ["passphrase", "recoveryKey", "key", "keyFile"]

    init(_ body: [UInt8]) throws {
        guard !body.isEmpty else {
            unlock = .keyFile
            lockAfter = nil
            return
        }
        let members = try BodyMembers(body, known: Set(Self.ways + ["lockAfterSeconds"]))
        lockAfter = try members.optional("lockAfterSeconds", AgentRoutes.number).map { seconds in
            try AgentRoutes.delay(seconds, field: "lockAfterSeconds")
        }
        let ways = try Self.ways.compactMap { name in
            try members.optional(name, \.secret).map { try Self.way(name, $0) }
        }
        guard ways.count <= 1 else { throw BodyMembers.malformed }
        unlock = ways.first ?? .keyFile
    }

    private static func way(_ name: String, _ secret: Secret) throws -> Unlock {
        switch name {
        case "passphrase":
            if let problem = Passphrase.problem(with: secret) {
                throw VaultError(
                    .invalidInput,
                    facts: [.field: "passphrase", .reason: problem.rawValue]
                )
            }
            return .passphrase(secret)
        case "recoveryKey":
            guard !secret.isEmpty else {
                throw VaultError(.invalidInput, facts: [.field: "recoveryKey"])
            }
            return .recoveryKey(secret)
        case "keyFile":
            let path = secret.reveal { $0 }
            guard path.hasPrefix("/") else {
                throw VaultError(.invalidInput, facts: [.field: "keyFile"])
            }
            return .keyFileAt(path: path)
        default:
            let bytes = secret.withBytes { Base64.decode($0, in: $0.indices) }
            guard var bytes, bytes.count == KeyLength.key else {
                throw VaultError(.invalidInput, facts: [.field: "key", .reason: "not_32_bytes"])
            }
            return .key(Secret(wiping: &bytes))
        }
    }
}
