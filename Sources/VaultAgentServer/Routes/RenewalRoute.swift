internal import VaultHTTPServer
internal import VaultKit

extension AgentRoutes {
    /// Changes when an account is renewed in the background.
    func setRenewal(
        of name: AccountName,
        _ request: HTTPServerRequest
    ) async throws -> HTTPServerResponse {
        let change = try BodyMembers(request.body, known: ["renewal"])
        let policy = try RenewalPolicy.checked(change.required("renewal", \.text))
        try await service.vault.session().vault.setRenewal(policy, of: name)
        return Self.done
    }
}

extension RenewalPolicy {
    /// The policy of this name, or an error that names the field.
    static func checked(_ name: String) throws(VaultError) -> RenewalPolicy {
        guard let policy = RenewalPolicy(rawValue: name) else {
            throw VaultError(.invalidInput, facts: [.field: "renewal"])
        }
        return policy
    }
}
