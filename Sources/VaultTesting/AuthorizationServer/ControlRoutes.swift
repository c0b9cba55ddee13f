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
            case .grant:
                guard let subject = Form(request.query)?["subject"],
                    let grant = core.ledger.grants.last(where: { $0.subject == subject })
                else { return HTTPServerResponse(status: 404) }
                return .json(GrantFacts(grant))
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

    /// The latest grant of a subject.
    private struct GrantFacts: Encodable {
        let isRevoked: Bool
        let refreshes: Int
        /// When the ledger last gave a pair of it, in seconds since 1970.
        let committedAt: Double

        init(_ grant: LedgerGrant) {
            isRevoked = grant.isRevoked
            refreshes = grant.refreshes
            committedAt = grant.usedAt
        }
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
