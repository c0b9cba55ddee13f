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
        let document =
            request.body.isEmpty
            ? LockDocument(afterSeconds: nil) : try Self.decode(LockDocument.self, request)
        let seconds = try document.afterSeconds.map { try Self.delay($0, field: "afterSeconds") }
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

    init(_ body: [UInt8]) throws {
        let malformed = VaultError(.invalidInput, facts: [.field: "body"])
        guard !body.isEmpty else {
            unlock = .keyFile
            lockAfter = nil
            return
        }
        let result = JSONReader.read(body.span)
        guard result.isComplete, let members = result.value.object else { throw malformed }
        let known = ["passphrase", "recoveryKey", "key", "keyFile", "lockAfterSeconds"]
        guard members.keys.allSatisfy(known.contains) else { throw malformed }
        lockAfter = try members["lockAfterSeconds"].map { value in
            guard case .number = value, let seconds = value.double else { throw malformed }
            return try AgentRoutes.delay(seconds, field: "lockAfterSeconds")
        }
        let ways = try members.filter { $0.key != "lockAfterSeconds" }.map { name, value in
            guard let secret = value.secret else { throw malformed }
            return try Self.way(name, secret)
        }
        guard ways.count <= 1 else { throw malformed }
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
        case "recoveryKey": return .recoveryKey(secret)
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
