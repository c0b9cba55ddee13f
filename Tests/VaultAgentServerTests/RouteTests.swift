import Testing
import VaultStore

@testable import VaultAgentServer

@Suite struct RouteTests {
    @Test(
        "leads to",
        arguments: [
            ("GET", "/v1/status", .status), ("POST", "/v1/stop", .stop),
            ("GET", "/v1/accounts", .listAccounts), ("POST", "/v1/accounts", .addAccount),
            ("DELETE", "/v1/accounts/work", .removeAccount("work")),
            ("GET", "/v1/accounts/work", .account("work")),
            ("GET", "/v1/current-account", .currentAccount),
            ("GET", "/v1/accounts/work/token", .token("work")),
            ("POST", "/v1/accounts/work/refresh", .refresh("work")),
            ("POST", "/v1/accounts/work/tags", .changeTags("work")),
            ("POST", "/v1/sign-ins", .beginSignIn), ("GET", "/v1/sign-ins/x", .signIn(id: "x")),
            ("DELETE", "/v1/sign-ins/x", .cancelSignIn(id: "x")),
            ("POST", "/v1/sign-ins/x/redirect", .giveRedirect(id: "x")),
            ("GET", "/v1/clients", .listClients),
            ("POST", "/v1/clients/secret", .setClientSecret),
            ("GET", "/v1/events", .events), ("HEAD", "/v1/status", .status),
            ("HEAD", "/v1/accounts/work/token", .token("work")),
            // Names as people and programs write them.
            ("GET", "/v1/accounts/me@work.example/token", .token("me@work.example")),
            ("GET", "/v1/accounts/me%40work.example/token", .token("me@work.example")),
            ("GET", "/v1/accounts/a+b/token", .token("a+b")),
            ("GET", "/v1/accounts/a%2Bb/token", .token("a+b")),
            ("GET", "/v1/accounts/%61%2e%5F-/token", .token("a._-")),
            ("GET", "/v1/accounts/token/token", .token("token")),
        ] as [(String, String, Route)]
    )
    func route(method: String, path: String, route: Route) {
        #expect(Route(method: method, path: path) == route)
    }

    private static let paths = [
        "/v1/status": ["GET", "HEAD"], "/v1/stop": ["POST"], "/v1/unlock": ["POST"],
        "/v1/lock": ["POST"], "/v1/accounts": ["GET", "HEAD", "POST"],
        "/v1/accounts/a": ["DELETE", "GET", "HEAD"], "/v1/accounts/a/token": ["GET", "HEAD"],
        "/v1/current-account": ["GET", "HEAD"],
        "/v1/accounts/a/refresh": ["POST"], "/v1/accounts/a/tags": ["POST"],
        "/v1/accounts/a/select": ["POST"], "/v1/sign-ins": ["POST"],
        "/v1/sign-ins/x": ["DELETE", "GET", "HEAD"], "/v1/sign-ins/x/redirect": ["POST"],
        "/v1/clients": ["GET", "HEAD"],
        "/v1/clients/secret": ["POST"], "/v1/events": ["GET", "HEAD"],
        "/v1/openapi.json": ["GET", "HEAD"], "/metrics": ["GET", "HEAD"],
    ]

    @Test("takes its methods and no other", arguments: paths)
    func methods(path: String, allowed: [String]) {
        for method in [
            "GET", "POST", "DELETE", "PUT", "PATCH", "HEAD", "OPTIONS", "TRACE", "get", "",
        ] {
            switch Route.match(method: method, path: path) {
            case .found: #expect(allowed.contains(method), "\(method)")
            case .otherMethods(let methods):
                #expect(methods == allowed && !allowed.contains(method), "\(method)")
            case .nothing: Issue.record("\(method)")
            }
            #expect(Route(method: method, path: path + "/") == nil)
            #expect(Route(method: method, path: path + "/more/still") == nil)
            #expect(Route(method: method, path: "/" + path) == nil)
        }
    }

    @Test(
        "leads nowhere",
        arguments: [
            "", "/", "/v1", "/v1/", "v1/status", "/v2/status", "/V1/status", "/v1/Status",
            "/v1/status/x", "/v1//status", "//v1/status", "/v1/./status", "/v1/x/../status",
            "/v1/accounts/", "/v1/accounts//token", "/v1/accounts/%20/token",
            "/v1/accounts/../status", "/v1/accounts/../token", "/v1/accounts/./token",
            "/v1/accounts/%2e%2e/token", "/v1/accounts/a/../b/token", "/v1/accounts/a%2Fb/token",
            "/v1/accounts/a%00/token", "/v1/accounts/%00/token", "/v1/accounts/a\u{0}/token",
            "/v1/accounts/a%0a/token", "/v1/accounts/a b/token", "/v1/accounts/a%/token",
            "/v1/accounts/a%zz/token", "/v1/accounts/%ff/token", "/v1/accounts/%2540/token",
            "/v1/accounts/ä/token", "/v1/accounts/-a/token", "/v1/accounts/+a/token",
            "/v1/accounts/a/tokens", "/v1/accounts/a/token/b", "/v1/accounts/a/refresh/b",
            "/v1/accounts/" + String(repeating: "a", count: 129) + "/token",
            "/" + String(repeating: "a", count: 10 << 10),
            "/v1/accounts/" + String(repeating: "%61", count: 10 << 10) + "/token",
            String(repeating: "/", count: 10 << 10),
        ]
    )
    func nowhere(path: String) {
        for method in ["GET", "POST", "DELETE"] {
            #expect(Route(method: method, path: path) == nil)
        }
    }

    @Test func theLongestNameIsTaken() throws {
        let text = String(repeating: "a", count: 128)
        let name = try #require(AccountName(text))
        #expect(Route(method: "GET", path: "/v1/accounts/\(text)/token") == .token(name))
    }
}
