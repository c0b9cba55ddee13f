internal import OAuth
internal import VaultAgentClient
internal import VaultHTTPServer
internal import VaultKit

extension AgentRoutes {
    func listClients() async throws -> HTTPServerResponse {
        let (clients, damaged) = try await service.vault.session().vault.allClients()
        return try Self.json(
            ClientListDocument(clients: clients.map { ClientDocument($0) }, damaged: damaged)
        )
    }

    func setClientSecret(_ request: HTTPServerRequest) async throws -> HTTPServerResponse {
        let change = try ClientSecretChange(request.body)
        let names = try await service.vault.session().vault.setSecret(
            of: change.client,
            to: change.secret,
            tokenEndpoint: change.tokenEndpoint,
            authentication: change.authentication,
            keepingOld: change.keepsOld
        )
        return try Self.json(
            ClientChangeDocument(clientID: change.client.rawValue, accounts: names.map(\.text))
        )
    }
}
