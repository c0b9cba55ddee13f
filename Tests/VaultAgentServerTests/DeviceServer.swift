import OAuth
import Platform
import VaultAgentClient
import VaultCrypto
import VaultKit
import VaultTesting

@testable import VaultAgentServer

/// An authorization server for devices, whose polls get what the test wants.
final class DeviceServer: HTTPTransport {
    static let issuer = "https://as.example"
    static let codes = """
        {"device_code":"canary-code","user_code":"AB-CD","interval":5,"expires_in":600,\
        "verification_uri":"https://as.example/device"}
        """

    /// What a poll gets.
    enum Answer: Sendable {
        case body(Int, String)
        case silence
        /// The grant, once the gate opens.
        case late(Gate)

        static let pending = Answer.body(400, #"{"error":"authorization_pending"}"#)
        static let slowDown = Answer.body(400, #"{"error":"slow_down"}"#)
        static let granted = Answer.body(200, ScriptedServer.granted)

        static func error(_ code: String) -> Answer { .body(400, #"{"error":"\#(code)"}"#) }
    }

    private struct State {
        var answers: [Answer]
        var asked: [String] = []
        var bodies: [String] = []
    }

    private let state: Locked<State>
    private let codes: (status: Int, body: String)
    private let members: String

    /// A server whose metadata may have more members.
    init(
        _ answers: [Answer],
        codes: (Int, String) = (200, DeviceServer.codes),
        members: String = ""
    ) {
        state = Locked(State(answers: answers))
        self.codes = codes
        self.members = members
    }

    var polls: Int { state.withLock { $0.asked.count { $0.hasSuffix("/token") } } }
    var bodies: [String] { state.withLock { $0.bodies } }

    func send(_ request: HTTPRequest) async throws(HTTPTransportError) -> HTTPResponse {
        let url = request.url.string
        let next = state.withLock { state in
            state.asked.append(url)
            if let body = request.body { state.bodies.append(body.reveal { $0 }) }
            return url.hasSuffix("/token") && !state.answers.isEmpty
                ? state.answers.removeFirst() : nil
        }
        if url.hasSuffix("/start") {
            return HTTPResponse(status: codes.status, body: Secret(codes.body))
        }
        guard url.hasSuffix("/token") else {
            return HTTPResponse(
                status: 200,
                body: Secret(
                    """
                    {"issuer":"\(Self.issuer)","token_endpoint":"\(Self.issuer)/token",\
                    "device_authorization_endpoint":"\(Self.issuer)/start"\(members)}
                    """
                )
            )
        }
        switch next ?? .pending {
        case .body(let status, let body): return HTTPResponse(status: status, body: Secret(body))
        case .silence: throw .ambiguous(.timedOut)
        case .late(let gate):
            await gate.pass()
            return HTTPResponse(status: 200, body: Secret(ScriptedServer.granted))
        }
    }
}

/// A device that signs in, on a clock that the test moves.
struct DeviceAttempt: Sendable {
    let agent: AgentFixture
    let server: DeviceServer
    let clock = ManualClock()
    let signIns: SignIns
    let signIn: SignIn

    init(_ server: DeviceServer) async throws {
        self.server = server
        agent = try await AgentFixture.make()
        signIns = SignIns(
            vault: try agent.vault,
            transport: server,
            clock: clock,
            log: try AgentLog(agent.location)
        )
        signIn = try await signIns.begin(
            SignInRequest(
                BeginSignInDocument(
                    name: "work",
                    issuer: DeviceServer.issuer,
                    clientID: "client",
                    clientSecret: nil,
                    scope: ["a"],
                    redirectURI: nil,
                    flow: "device"
                ),
                for: "work",
                remembered: nil
            )
        )
    }

    /// Lets it wait for its next poll, which takes place then; how long it waited.
    func wait() async throws -> Double? {
        try await clock.waitForSleepers(1)
        let seconds = clock.secondsUntilNextWake
        clock.advanceToNextWake(within: .infinity)
        return seconds
    }

    /// The outcome, in a word or its error.
    func outcome() async -> String? {
        switch await signIn.outcome(within: 20) {
        case nil: nil
        case .ready: "ready"
        case .failed(let error):
            ([error.code.rawValue] + [error.facts[.reason], error.facts[.error]].compactMap { $0 })
                .joined(separator: " ")
        }
    }

    func end() async {
        await signIns.stop()
        await agent.service.stop()
    }
}
