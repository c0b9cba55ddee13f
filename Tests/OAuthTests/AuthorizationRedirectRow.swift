import OAuth
import Testing
import VaultCrypto

/// One line of `authz_redirects.jsonl`.
struct AuthorizationRedirectRow: Decodable, Sendable, CustomTestStringConvertible {
    struct Setup: Decodable, Sendable {
        let redirect_uri: String
        let state: String
        let expected_issuer: String?
        let iss_required: Bool
        let response_mode: String
    }

    struct Request: Decodable, Sendable {
        let method: String?
        let target: String?
        let target_recipe: Recipe?
        let headers: [String: String]?
        let header_recipe: HeaderRecipe?
        let header_count_recipe: HeaderRecipe?

        /// Whether its outcome hangs on method, target and Host alone.
        var isJudged: Bool {
            method != nil && header_count_recipe == nil && header_recipe?.count ?? 0 < 100_000
        }
    }

    struct HeaderRecipe: Decodable, Sendable {
        let count: Int
    }

    /// A status, or a word for what happens to the connection.
    enum Status: Decodable, Sendable, Equatable {
        case code(Int)
        case word(String)

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let code = try? container.decode(Int.self) {
                self = .code(code)
            } else {
                self = .word(try container.decode(String.self))
            }
        }
    }

    struct Expected: Decodable, Sendable {
        let outcome: String
        let code: String?
        let error: String?
        let `class`: String?
        let statuses: [[Status]]
        let extras: [String: String]?
    }

    let id: String
    let setup: Setup
    let requests: [Request]
    let expect: Expected
    let alternatives: [Expected]?

    var testDescription: String { id }

    static let all = Corpus.rows("authz_redirects.jsonl", as: AuthorizationRedirectRow.self)
    static let judged = all.filter { $0.requests.allSatisfy(\.isJudged) }
    /// Lines about the bytes and sockets beneath a request, for the receiver's tests.
    static let listenerOnly = all.filter { !$0.requests.allSatisfy(\.isJudged) }

    /// The value the vault decides for.
    var decision: Expected { ContestedChoices.decision(id, expect, alternatives) }

    func judge() throws -> AuthorizationRedirect {
        AuthorizationRedirect(
            redirectURI: try EndpointURL(setup.redirect_uri),
            state: Secret(setup.state),
            issuer: setup.expected_issuer,
            isIssuerRequired: setup.iss_required
        )
    }
}
