internal import FoundationEssentials
internal import Platform
internal import VaultAgentClient
internal import VaultHTTPServer
internal import VaultKit
internal import VaultStore

extension AgentRoutes {
    /// Rows that an answer has unless told, and at most: more than the log keeps.
    private static let usualRows = 50
    private static let mostRows = 100_000

    /// The newest rows of the log, with what the keys say of each.
    func log(_ request: HTTPServerRequest) async throws -> HTTPServerResponse {
        let rows = try await service.vault.session().vault.activity(
            of: try Self.account(request),
            since: try Self.since(request),
            limit: try Self.limit(request)
        )
        return try Self.json(LogDocument(locked: false, rows: rows))
    }

    private static func field(_ name: String, _ request: HTTPServerRequest) -> String? {
        request.query.first { $0.name == name }?.value
    }

    private static func account(_ request: HTTPServerRequest) throws -> AccountName? {
        try field("account", request).map { text in
            guard let name = AccountName(text) else { throw invalid("account") }
            return name
        }
    }

    private static func since(_ request: HTTPServerRequest) throws -> Date? {
        try field("since", request).map { text in
            guard let date = try? Date(text, strategy: .iso8601) else { throw invalid("since") }
            return date
        }
    }

    private static func limit(_ request: HTTPServerRequest) throws -> Int {
        guard let text = field("limit", request) else { return usualRows }
        guard let limit = Int(text), (1...mostRows).contains(limit) else { throw invalid("limit") }
        return limit
    }

    private static func invalid(_ field: String) -> VaultError {
        VaultError(.invalidInput, facts: [.field: field])
    }
}
