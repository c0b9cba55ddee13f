internal import VaultHTTPServer
internal import VaultStore

/// One way into the interface, as the OpenAPI document has it too.
struct RouteEntry: Sendable {
    /// What an answer that is no error may be.
    enum Answer: String, Sendable {
        case json = "application/json"
        case lines = "application/x-ndjson"
        case text = "text/plain"
    }

    let method: String
    /// The fields that may come several times.
    static let lists: Set = ["tag", "scope"]

    /// The path, its parameters in braces.
    let path: String
    /// The fields that the query may have.
    let fields: Set<String>
    let answer: Answer
    private let parts: [Substring]
    private let make: @Sendable (_ parameter: String) -> Route?

    init(
        _ method: String,
        _ path: String,
        fields: Set<String> = [],
        answer: Answer = .json,
        _ make: @escaping @Sendable (_ parameter: String) -> Route?
    ) {
        self.method = method
        self.path = path
        self.fields = fields
        self.answer = answer
        self.make = make
        parts = path.split(separator: "/", omittingEmptySubsequences: false)
    }

    /// A path about one account.
    init(
        _ method: String,
        account path: String,
        fields: Set<String> = [],
        _ make: @escaping @Sendable (AccountName) -> Route
    ) {
        self.init(method, "/v1/accounts/{name}" + path, fields: fields) { text in
            // A plus sign is part of a name here, not a blank.
            AccountName(FormCoding.decodeComponent(text.replacing("+", with: "%2B"))).map(make)
        }
    }

    /// What a path leads to, cut at its slashes; nil when it is another.
    func route(_ path: [Substring]) -> Route? {
        guard path.count == parts.count else { return nil }
        var parameter = ""
        for (part, text) in zip(parts, path) {
            if part.first == "{" {
                guard !text.isEmpty else { return nil }
                parameter = String(text)
            } else if part != text {
                return nil
            }
        }
        return make(parameter)
    }
}

extension Route {
    /// Everything that the agent answers.
    static let table: [RouteEntry] = [
        RouteEntry("GET", account: "/token", fields: tokenFields) { .token($0) },
        RouteEntry("GET", "/v1/status") { _ in .status },
        RouteEntry("POST", "/v1/stop") { _ in .stop },
        RouteEntry("POST", "/v1/unlock") { _ in .unlock },
        RouteEntry("POST", "/v1/lock") { _ in .lock },
        RouteEntry("GET", "/v1/accounts", fields: ["tag"]) { _ in .listAccounts },
        RouteEntry("POST", "/v1/accounts") { _ in .addAccount },
        RouteEntry("GET", account: "") { .account($0) },
        RouteEntry("DELETE", account: "") { .removeAccount($0) },
        RouteEntry("POST", account: "/refresh", fields: ["force", "answer", "deadline"]) {
            .refresh($0)
        },
        RouteEntry("POST", account: "/select") { .select($0) },
        RouteEntry("POST", account: "/tags") { .changeTags($0) },
        RouteEntry("POST", account: "/rename") { .rename($0) },
        RouteEntry("POST", account: "/logout", fields: ["keep", "force"]) { .signOut($0) },
        RouteEntry("POST", account: "/renewal") { .setRenewal($0) },
        RouteEntry("GET", account: "/endpoints") { .compareEndpoints($0) },
        RouteEntry("POST", account: "/endpoints") { .pinEndpoints($0) },
        RouteEntry("GET", "/v1/current-account") { _ in .currentAccount },
        RouteEntry("GET", "/v1/clients") { _ in .listClients },
        RouteEntry("POST", "/v1/clients/secret") { _ in .setClientSecret },
        RouteEntry("POST", "/v1/sign-ins") { _ in .beginSignIn },
        RouteEntry("GET", "/v1/sign-ins/{id}", fields: ["wait"]) { .signIn(id: $0) },
        RouteEntry("DELETE", "/v1/sign-ins/{id}") { .cancelSignIn(id: $0) },
        RouteEntry("POST", "/v1/sign-ins/{id}/redirect") { .giveRedirect(id: $0) },
        RouteEntry("GET", "/v1/log", fields: ["account", "since", "limit"]) { _ in .log },
        RouteEntry("GET", "/v1/events", fields: ["after"], answer: .lines) { _ in .events },
        RouteEntry("GET", "/v1/openapi.json") { _ in .description },
        RouteEntry("GET", "/metrics", answer: .text) { _ in .metrics },
    ]

    private static let tokenFields: Set = [
        "scope", "resource", "min-valid", "newer-than", "deadline",
    ]
}
