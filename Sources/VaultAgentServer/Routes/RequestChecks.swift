internal import FoundationEssentials
internal import Platform
internal import VaultHTTPServer
internal import VaultKit

/// Why a request is turned away before anything is done.
struct Refusal: Error {
    let status: Int
    let error: VaultError
    var allowed: [String] = []

    init(_ status: Int, field: String, reason: String? = nil, allowed: [String] = []) {
        var facts: [VaultError.Fact: String] = [.field: field]
        facts[.reason] = reason
        self.init(status, VaultError(.invalidInput, facts: facts))
        self.allowed = allowed
    }

    init(_ status: Int, _ error: VaultError) {
        self.status = status
        self.error = error
    }

    /// Its answer.
    var response: HTTPServerResponse {
        var response = AgentRoutes.failure(error, status: status)
        if !allowed.isEmpty {
            response.headers.append((name: "Allow", value: allowed.joined(separator: ", ")))
        }
        return response
    }
}

extension HTTPServerRequest {
    /// What it asks for, once it is known to be a request that somebody means.
    func route() throws(Refusal) -> Route {
        // Every browser says where a script comes from, and no script has any business here.
        if header("Origin") != nil { throw Refusal(403, field: "origin") }
        switch Route.match(method: method, path: path) {
        case .nothing: throw Refusal(404, field: "path")
        case .otherMethods(let methods): throw Refusal(405, field: "method", allowed: methods)
        case .found(let route, let entry):
            try checkVersion()
            guard accepts(entry.answer.rawValue) else { throw Refusal(406, field: "accept") }
            guard hasJSON else { throw Refusal(415, field: "content_type") }
            try checkFields(entry)
            return route
        }
    }

    /// A newer command brings an agent of its own; an older one goes on with this.
    private func checkVersion() throws(Refusal) {
        guard let asking = header("Vault-Version").flatMap({ VersionNumber($0) }),
            let own = VersionNumber(VaultVersion.current), asking > own
        else { return }
        let facts: [VaultError.Fact: String] = [
            .reason: "agent_version", .version: VaultVersion.current,
        ]
        throw Refusal(426, VaultError(.busy, facts: facts))
    }

    /// Whether it takes an answer of a type; every error is JSON all the same.
    private func accepts(_ type: String) -> Bool {
        AcceptedTypes(headers.filter { $0.name.lowercased() == "accept" }.map(\.value))
            .include(type)
    }

    /// Refuses a field that is not looked at: somebody believes it to be obeyed.
    private func checkFields(_ entry: RouteEntry) throws(Refusal) {
        var once: Set<String> = []
        for (name, _) in query {
            guard entry.fields.contains(name) else {
                throw Refusal(400, field: name.asFieldName, reason: "unknown")
            }
            guard once.insert(name).inserted || RouteEntry.lists.contains(name) else {
                throw Refusal(400, field: name.asFieldName, reason: "repeated")
            }
        }
    }

    /// Whether its body, if there is one, is what every body here is.
    ///
    /// A program that says nothing of the type means this one; a form of a browser always says.
    private var hasJSON: Bool {
        guard !body.isEmpty, let type = header("Content-Type") else { return true }
        let parts = type.lowercased().split(separator: ";").map { $0.filter { $0 != " " } }
        guard parts.first == "application/json" else { return false }
        let charset = parts.first { $0.hasPrefix("charset=") }
        return charset == nil || ["charset=utf-8", "charset=\"utf-8\""].contains(charset)
    }
}
