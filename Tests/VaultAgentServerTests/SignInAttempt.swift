import OAuth
import Platform
import VaultAgentClient
import VaultHTTPServer
import VaultKit
import VaultStore

@testable import VaultAgentServer

/// One sign-in that has begun, on a real socket, and the browser's side of it.
struct SignInAttempt: Sendable {
    let agent: AgentFixture
    let signIn: SignIn
    let browser: BrowserWay
    let port: UInt16
    let state: String

    static func begin(
        _ agent: AgentFixture,
        account: AccountName = "work",
        secret: Secret? = nil,
        redirectURI: String? = nil,
        flow: String? = nil,
        scope: [String] = ["a", "b"]
    ) async throws -> SignInAttempt {
        let signIn = try await agent.service.vault.session().signIns.begin(
            SignInRequest(
                BeginSignInDocument(
                    name: account.text,
                    issuer: ScriptedServer.issuer,
                    clientID: "client",
                    clientSecret: secret?.reveal { $0 },
                    scope: scope,
                    redirectURI: redirectURI,
                    flow: flow
                ),
                for: account,
                remembered: nil
            )
        )
        return try SignInAttempt(agent, signIn)
    }

    init(_ agent: AgentFixture, _ signIn: SignIn) throws {
        guard let browser = signIn.way as? BrowserWay else { throw VaultError(.signInFailed) }
        self.agent = agent
        self.signIn = signIn
        self.browser = browser
        state = Self.parameter("state", of: browser) ?? ""
        port = UInt16(clamping: EndpointURL(unchecked: browser.redirectURI).port)
    }

    /// A parameter of the authorization request.
    func parameter(_ name: String) -> String? { Self.parameter(name, of: browser) }

    private static func parameter(_ name: String, of browser: BrowserWay) -> String? {
        FormCoding.decode(browser.authorizationURL.query ?? "").first { $0.name == name }?.value
    }

    /// Where the browser is started.
    var startURL: String { browser.start?.url ?? "" }

    /// Comes back to the redirect address with these parameters beside the state.
    func comeBack(_ parameters: String) async throws -> Page? {
        try await get("/callback?\(parameters)&state=\(state)")
    }

    func get(_ target: String, method: String = "GET", headers: String = "") async throws -> Page? {
        try await Browser.get(port, target, method: method, headers: headers)
    }

    /// The outcome, in a word or its error.
    func outcome() async -> String? {
        switch await signIn.outcome(within: 20) {
        case nil: nil
        case .ready(let isRenewable): isRenewable ? "ready" : "ready, not renewable"
        case .failed(let error):
            ([error.code.rawValue] + [error.facts[.reason], error.facts[.error]].compactMap { $0 })
                .joined(separator: " ")
        }
    }

    /// Whether nobody listens there any more, at the latest in a moment.
    func isClosed() async throws -> Bool {
        try await eventually { [port] in
            try await onThread { (try? Browser(port: port)) == nil }
        }
    }
}
