import FoundationEssentials
import Glibc
import OAuth
import Platform
import Testing
import VaultCrypto
import VaultHTTPServer
import VaultKit
import VaultStore

@testable import VaultAgentServer

/// An agent's service on a vault of its own under /tmp, with a scripted authorization server.
final class AgentFixture: Sendable {
    let directory: TemporaryDirectory
    let location: VaultLocation
    let server: ScriptedServer
    let service: AgentService

    /// Words that must be nowhere but where they are asked for.
    static let canaries = [
        "canary-access", "canary-refresh", "canary-secret", "canary-code", "canary-body",
        "canary-passphrase",
    ]

    private init(
        _ directory: TemporaryDirectory,
        _ location: VaultLocation,
        _ server: ScriptedServer,
        _ service: AgentService
    ) {
        self.directory = directory
        self.location = location
        self.server = server
        self.service = service
    }

    /// An agent whose vault its key file opens, unless other slots are told.
    static func make(
        _ server: ScriptedServer = ScriptedServer(),
        slots: [NewKeySlot]? = nil,
        clock: any VaultClock = SystemClock()
    ) async throws -> AgentFixture {
        // As every program of the vault does first.
        umask(0o077)
        let directory = try TemporaryDirectory()
        let location = VaultLocation(directory: directory.path + "/vault")
        let keyFile = [NewKeySlot.keyFile(path: directory.path + "/key")]
        _ = try VaultFile.create(location, slots: slots ?? keyFile, now: .now)
        let log = try AgentLog(location)
        let service = AgentService(location, transport: server, log: log, clock: clock)
        try await service.vault.start()
        return AgentFixture(directory, location, server, service)
    }

    /// The vault while it is unlocked.
    var vault: Vault {
        get throws { try service.vault.session().vault }
    }

    /// Answers as the agent does over its socket, and as its description has it.
    func answer(
        _ method: String,
        _ target: String,
        headers: [(name: String, value: String)] = [],
        body: String = ""
    ) async -> HTTPServerResponse {
        await answer(
            HTTPServerRequest(
                method: method,
                target: target,
                headers: headers,
                body: Array(body.utf8)
            )
        )
    }

    func answer(_ request: HTTPServerRequest) async -> HTTPServerResponse {
        guard case .response(let response) = await AgentRoutes(service: service).serve(request)
        else { return HTTPServerResponse(status: 0, text: "no response") }
        if let problem = DescribedAnswers.problem(response, to: request) {
            Issue.record("\(request.method) \(request.path): \(problem)")
        }
        return response
    }

    /// What the agent wrote down, all of it.
    func log() throws -> String {
        let data = try Data(contentsOf: URL(filePath: location.log))
        return String(decoding: data, as: UTF8.self)
    }
}

extension HTTPServerResponse {
    var text: String { String(decoding: body, as: UTF8.self) }

    func header(_ name: String) -> String? {
        headers.first { $0.name == name }?.value
    }
}

/// An authorization server that says what the test wants: discovery, and one token answer after
/// the other.
final class ScriptedServer: HTTPTransport {
    static let issuer = "https://as.example"
    static let granted = """
        {"access_token":"canary-access","token_type":"Bearer","expires_in":3600,\
        "refresh_token":"canary-refresh"}
        """

    /// What was asked, the body as text.
    struct Asked: Sendable {
        let url: String
        let body: String
        let network: NetworkOptions
    }

    private struct State {
        var asked: [Asked] = []
        var answers: [(status: Int, body: String)] = []
    }

    private let state = Locked(State())
    private let metadata: @Sendable () throws(HTTPTransportError) -> HTTPResponse
    /// Token answers wait for it to open.
    let gate = Gate()

    init(
        _ members: String = "",
        metadata: (@Sendable () throws(HTTPTransportError) -> HTTPResponse)? = nil
    ) {
        self.metadata =
            metadata ?? {
                HTTPResponse(
                    status: 200,
                    body: Secret(
                        """
                        {"issuer":"\(Self.issuer)","token_endpoint":"\(Self.issuer)/token",\
                        "authorization_endpoint":"\(Self.issuer)/authorize"\(members)}
                        """
                    )
                )
            }
    }

    /// What the next token request gets; a plain grant unless told.
    func answerNext(_ status: Int, _ body: String) {
        state.withLock { $0.answers.append((status, body)) }
    }

    var asked: [Asked] { state.withLock { $0.asked } }

    /// The bodies of the token requests so far.
    var exchanges: [String] { asked.filter { $0.url.hasSuffix("/token") }.map(\.body) }

    func send(_ request: HTTPRequest) async throws(HTTPTransportError) -> HTTPResponse {
        let isToken = request.url.string.hasSuffix("/token")
        let answer = state.withLock { state in
            let body = request.body?.reveal { $0 } ?? ""
            state.asked.append(
                Asked(url: request.url.string, body: body, network: request.network)
            )
            return isToken && !state.answers.isEmpty ? state.answers.removeFirst() : nil
        }
        guard isToken else { return try metadata() }
        await gate.pass()
        return HTTPResponse(
            status: answer?.status ?? 200,
            body: Secret(answer?.body ?? Self.granted)
        )
    }
}

/// Open unless it was shut: whoever passes then waits until it is opened.
final class Gate: Sendable {
    private let state = Locked(State())

    private struct State {
        var isShut = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    func shut() {
        state.withLock { $0.isShut = true }
    }

    func open() {
        let waiting = state.withLock { state in
            defer { state = State() }
            return state.waiting
        }
        waiting.forEach { $0.resume() }
    }

    func pass() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                if state.isShut { state.waiting.append(continuation) }
                return !state.isShut
            }
            if isOpen { continuation.resume() }
        }
    }
}

/// Looks every few milliseconds whether something has come about, for twenty seconds at most.
func eventually(_ condition: () async throws -> Bool) async rethrows -> Bool {
    let end = ContinuousClock.now + .seconds(20)
    while ContinuousClock.now < end {
        if try await condition() { return true }
        try? await Task.sleep(for: .milliseconds(5))
    }
    return false
}

/// A directory under /tmp that goes with its value.
final class TemporaryDirectory: Sendable {
    let path: String

    init() throws {
        var template = Array("/tmp/vault-test-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw SystemError(number: errno) }
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }
}
