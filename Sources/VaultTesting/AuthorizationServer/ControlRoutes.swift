internal import FoundationEssentials
internal import VaultCrypto
internal import VaultHTTPServer

/// What a test in another language asks of the server.
struct ControlRoutes {
    let core: AuthorizationServerCore

    func answer(_ endpoint: Endpoint, _ request: HTTPServerRequest) -> HTTPServerResponse {
        do {
            switch endpoint {
            case .script:
                core.script(try decode([ScriptedTokenAnswer].self, request))
            case .standing:
                core.setStanding(try decode(ScriptedTokenAnswer.self, request))
            case .issue:
                let wanted = try decode(IssueRequest.self, request)
                return core.tokenResponse(
                    core.issue(
                        subject: wanted.subject ?? core.nextSubject(),
                        client: wanted.clientID,
                        scope: wanted.scope ?? "read"
                    )
                )
            default:
                return .json(Statistics(core.ledger))
            }
            return HTTPServerResponse(status: 204)
        } catch {
            return HTTPServerResponse(status: 400, text: "not the expected JSON\n")
        }
    }

    private func decode<Value: Decodable>(
        _ type: Value.Type,
        _ request: HTTPServerRequest
    ) throws -> Value {
        try JSONDecoder().decode(type, from: Data(request.body))
    }

    private struct IssueRequest: Decodable {
        let subject: String?
        let clientID: String
        let scope: String?
    }

    private struct Statistics: Encodable {
        let tokenRequests: Int
        let tokenRequestsPerGrantType: [String: Int]
        let refreshes: Int
        let mostPostsOfOneRefreshToken: Int
        let reuseDetections: Int
        let codeReuseDetections: Int
        let revocations: Int
        let grantsAlive: Int
        let grantsRevoked: Int
        let apiAccepted: Int
        let apiRefused: Int
        let perSubject: [String: Int]

        init(_ ledger: Ledger) {
            let counters = ledger.counters
            tokenRequests = counters.tokenRequests
            tokenRequestsPerGrantType = counters.tokenRequestsPerGrantType
            refreshes = counters.refreshes
            mostPostsOfOneRefreshToken = counters.postsPerRefreshToken.values.max() ?? 0
            reuseDetections = counters.reuseDetections
            codeReuseDetections = counters.codeReuseDetections
            revocations = counters.revocations
            grantsAlive = ledger.grantsAlive
            grantsRevoked = ledger.grantsRevoked
            apiAccepted = counters.apiAccepted
            apiRefused = counters.apiRefused
            perSubject = counters.refreshesPerSubject
        }
    }
}
