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
    case setRenewal(AccountName)
    case rename(AccountName)
    case signOut(AccountName)
    case compareEndpoints(AccountName)
    case pinEndpoints(AccountName)
    case listClients
    case setClientSecret
    case beginSignIn
    case signIn(id: String)
    case cancelSignIn(id: String)
    case giveRedirect(id: String)
    case log
    case events
    case description
    case metrics
}

extension Route {
    /// What a method and a path lead to.
    enum Match: Sendable {
        case found(Route, RouteEntry)
        /// The path takes these methods and no other.
        case otherMethods([String])
        case nothing
    }

    /// Looks the path up in the table; HEAD is GET without the body (RFC 9110 §9.3.2).
    static func match(method: String, path: String) -> Match {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        let wanted = method == "HEAD" ? "GET" : method
        var others: [String] = []
        for entry in table {
            guard let route = entry.route(parts) else { continue }
            if entry.method == wanted { return .found(route, entry) }
            others.append(entry.method)
        }
        if others.contains("GET") { others.append("HEAD") }
        return others.isEmpty ? .nothing : .otherMethods(others.sorted())
    }

    /// Nil for anything that is not in the interface.
    init?(method: String, path: String) {
        guard case .found(let route, _) = Self.match(method: method, path: path) else {
            return nil
        }
        self = route
    }
}
