import OAuth
import Platform
import Testing
import VaultAgentClient
import VaultCrypto
import VaultKit

@testable import VaultAgentServer

/// Where the client of a sign-in comes from when nobody told one (RFC 7591).
@Suite struct ClientSourceTests {
    /// An authorization server that registers clients, or not.
    private final class RegisteringServer: HTTPTransport {
        private let answers: Locked<[(status: Int, body: String)]>
        private let bodies = Locked<[String]>([])
        private let isOpen: Bool

        init(_ answers: [(Int, String)], isOpen: Bool = true) {
            self.answers = Locked(answers.map { (status: $0.0, body: $0.1) })
            self.isOpen = isOpen
        }

        var registrations: [String] { bodies.withLock { $0 } }

        func send(_ request: HTTPRequest) async throws(HTTPTransportError) -> HTTPResponse {
            guard request.url.string.hasSuffix("/register") else {
                let endpoint = #","registration_endpoint":"https://as.example/register""#
                return HTTPResponse(
                    status: 200,
                    body: Secret(
                        """
                        {"issuer":"https://as.example","token_endpoint":"https://as.example/token",\
                        "authorization_endpoint":"https://as.example/authorize"\
                        \(isOpen ? endpoint : "")}
                        """
                    )
                )
            }
            bodies.withLock { $0.append(request.body?.reveal { $0 } ?? "") }
            let answer = answers.withLock { $0.removeFirst() }
            return HTTPResponse(status: answer.status, body: Secret(answer.body))
        }
    }

    private static func begin(
        _ server: RegisteringServer,
        redirectURI: String? = nil
    ) async throws -> (BrowserWay, AgentFixture) {
        let agent = try await AgentFixture.make()
        let request = try SignInRequest(
            BeginSignInDocument(
                name: "work",
                issuer: "https://as.example",
                clientID: nil,
                clientSecret: nil,
                scope: ["a"],
                redirectURI: redirectURI
            ),
            for: "work",
            remembered: nil
        )
        let metadata = try await request.discover(using: server)
        let way = try await BrowserWay(request, metadata, vault: agent.vault, transport: server)
        return (way, agent)
    }

    @Test func theServerRegistersTheVeryAddressThatIsListenedTo() async throws {
        let server = RegisteringServer([(201, #"{"client_id":"made-here"}"#)])
        let (way, agent) = try await Self.begin(server)
        #expect(way.authorizationURL.string.contains("client_id=made-here"))
        let registration = try #require(server.registrations.first)
        #expect(registration.contains(#""redirect_uris":["\#(way.redirectURI)"]"#))
        #expect(registration.contains(#""token_endpoint_auth_method":"none""#))
        #expect(registration.contains(#""grant_types":["authorization_code","refresh_token"]"#))
        await agent.service.stop()
    }

    @Test func aServerThatWantsASecretGivesOne() async throws {
        let server = RegisteringServer([
            (400, #"{"error":"invalid_client_metadata"}"#),
            (201, #"{"client_id":"made-here","client_secret":"canary-secret"}"#),
        ])
        let (way, agent) = try await Self.begin(server)
        #expect(way.authorizationURL.string.contains("client_id=made-here"))
        #expect(!way.authorizationURL.string.contains("canary"))
        #expect(server.registrations.count == 2)
        #expect(server.registrations[1].contains("client_secret_basic"))
        await agent.service.stop()
    }

    @Test(
        "without a registration it says what to register",
        arguments: [
            ([], false, nil, "http://127.0.0.1:8400/callback", nil),
            ([], false, "http://127.0.0.1/cb", "http://127.0.0.1/cb", nil),
            ([(403, "")], true, nil, "http://127.0.0.1:8400/callback", "403"),
            (
                [
                    (400, #"{"error":"invalid_redirect_uri"}"#),
                    (400, #"{"error":"invalid_redirect_uri"}"#),
                ],
                true, nil, "http://127.0.0.1:8400/callback", "400"
            ),
        ] as [([(Int, String)], Bool, String?, String, String?)]
    )
    func refused(
        answers: [(Int, String)],
        isOpen: Bool,
        redirectURI: String?,
        wanted: String,
        status: String?
    ) async throws {
        let error = await #expect(throws: VaultError.self) {
            _ = try await Self.begin(
                RegisteringServer(answers, isOpen: isOpen),
                redirectURI: redirectURI
            )
        }
        #expect(error?.code == .invalidInput && error?.facts[.field] == "client_id")
        #expect(error?.facts[.reason] == "missing" && error?.facts[.host] == "as.example")
        #expect(error?.facts[.wanted] == wanted && error?.facts[.status] == status)
    }
}
