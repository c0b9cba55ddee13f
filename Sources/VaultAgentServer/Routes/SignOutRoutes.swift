internal import VaultAgentClient
internal import VaultHTTPServer
internal import VaultKit
internal import VaultStore

extension AgentRoutes {
    func signOut(
        of name: AccountName,
        _ request: HTTPServerRequest
    ) async throws -> HTTPServerResponse {
        let choices = ["true", "false"]
        let signOut = try await service.vault.session().vault.signOut(
            name,
            keepingAccount: try Self.choice("keep", of: choices, request) == "true",
            isForced: try Self.choice("force", of: choices, request) == "true"
        )
        return try Self.json(SignOutDocument(signOut))
    }

    func rename(
        _ name: AccountName,
        _ request: HTTPServerRequest
    ) async throws -> HTTPServerResponse {
        let change = try BodyMembers(request.body, known: ["name"])
        guard let new = AccountName(try change.required("name", \.text)) else {
            throw VaultError(.invalidInput, facts: [.field: "name"])
        }
        try await service.vault.session().vault.rename(name, to: new)
        return Self.done
    }
}
