internal import VaultHTTPServer
internal import VaultStore

/// What a request asks for, read from its method and path.
enum Route: Sendable, Hashable {
    case status
    case stop
    case unlock
    case lock
    case listAccounts
    case addAccount
    case account(AccountName)
    case currentAccount
    case removeAccount(AccountName)
    case token(AccountName)
    case refresh(AccountName)
    case select(AccountName)
    case changeTags(AccountName)
    case listClients
    case setClientSecret
    case beginSignIn
    case signIn(id: String)
    case cancelSignIn(id: String)

    /// Nil for anything that is not in the interface.
    init?(method: String, path: String) {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard parts.count >= 3, parts[0].isEmpty, parts[1] == "v1" else { return nil }
        let rest = Array(parts.dropFirst(3))
        let route: Route?
        switch parts[2] {
        case "status" where rest.isEmpty: route = method == "GET" ? .status : nil
        case "stop" where rest.isEmpty: route = method == "POST" ? .stop : nil
        case "unlock" where rest.isEmpty: route = method == "POST" ? .unlock : nil
        case "lock" where rest.isEmpty: route = method == "POST" ? .lock : nil
        case "accounts": route = Self.account(method, rest)
        case "current-account" where rest.isEmpty:
            route = method == "GET" ? .currentAccount : nil
        case "clients": route = Self.clients(method, rest)
        case "sign-ins": route = Self.signIn(method, rest)
        default: route = nil
        }
        guard let route else { return nil }
        self = route
    }

    private static func account(_ method: String, _ rest: [String]) -> Route? {
        guard let first = rest.first else {
            return method == "GET" ? .listAccounts : method == "POST" ? .addAccount : nil
        }
        // A plus sign is part of a name here, not a blank.
        let text = FormCoding.decodeComponent(first.replacing("+", with: "%2B"))
        guard let name = AccountName(text) else { return nil }
        switch (method, rest.count == 2 ? rest[1] : nil) {
        case ("GET", nil): return rest.count == 1 ? .account(name) : nil
        case ("DELETE", nil): return rest.count == 1 ? .removeAccount(name) : nil
        case ("GET", "token"): return .token(name)
        case ("POST", "refresh"): return .refresh(name)
        case ("POST", "select"): return .select(name)
        case ("POST", "tags"): return .changeTags(name)
        default: return nil
        }
    }

    private static func clients(_ method: String, _ rest: [String]) -> Route? {
        switch (method, rest) {
        case ("GET", []): .listClients
        case ("POST", ["secret"]): .setClientSecret
        default: nil
        }
    }

    private static func signIn(_ method: String, _ rest: [String]) -> Route? {
        guard let id = rest.first else { return method == "POST" ? .beginSignIn : nil }
        guard rest.count == 1, !id.isEmpty else { return nil }
        return switch method {
        case "GET": .signIn(id: id)
        case "DELETE": .cancelSignIn(id: id)
        default: nil
        }
    }
}
