internal import VaultHTTPServer
internal import VaultInterface

extension AgentRoutes {
    /// The OpenAPI document of this very interface.
    static var description: HTTPServerResponse {
        HTTPServerResponse(
            status: 200,
            headers: [(name: "Content-Type", value: "application/json")],
            body: InterfaceDescription.json
        )
    }
}
