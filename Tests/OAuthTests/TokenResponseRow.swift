import FoundationEssentials
import OAuth
import Testing
import VaultCrypto

/// One line of `token_responses.jsonl`.
struct TokenResponseRow: Decodable, Sendable, CustomTestStringConvertible {
    struct Expected: Decodable, Sendable {
        let ok: Bool
        let access_token: String?
        let access_token_sha256: String?
        let refresh_token: String?
        let expires_at: Double?
        let token_type: String?
        let scope: [String]?
        let extra: [String: Plain]?
        let `class`: String?
        let oauth_error: String?
        let retry_after_s: Double?
    }

    /// A string or a number, as text.
    struct Plain: Decodable, Sendable {
        let text: String

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let string = try? container.decode(String.self) {
                text = string
            } else {
                text = String(try container.decode(Int.self))
            }
        }
    }

    let id: String
    let provider: String?
    let request_context: String
    let http_status: Int
    let headers: [String: String]
    let body: String?
    let body_base64: String?
    let body_recipe: Recipe?
    let received_at: Double
    let needs_profile: ProviderQuirks?
    let expect: Expected
    let alternatives: [Expected]?

    var testDescription: String { id }

    static let all = Corpus.rows("token_responses.jsonl", as: TokenResponseRow.self)

    var response: HTTPResponse {
        let bytes = body_base64.flatMap { Data(base64Encoded: $0) }.map { Array($0) }
        let text = body ?? body_recipe?.text ?? ""
        return HTTPResponse(
            status: http_status,
            headers: headers.map { (name: $0.key, value: $0.value) },
            body: bytes.map { Secret(bytes: $0) } ?? Secret(text)
        )
    }

    var grantType: GrantType {
        switch request_context {
        case "code": .authorizationCode
        case "device": .deviceCode
        case "client_credentials": .clientCredentials
        default: .refreshToken
        }
    }

    /// The value the vault decides for.
    var decision: Expected { ContestedChoices.decision(id, expect, alternatives) }
}

extension AnswerClass {
    /// The corpus's word for it.
    var corpusName: String {
        switch self {
        case .grantRefused, .interactionRequired: "reauth_required"
        case .clientRefused, .requestRefused: "misconfigured"
        case .throttled: "rate_limited"
        case .ambiguous(let kind): kind.rawValue
        case .authorizationPending: "pending"
        case .slowDown: "slow_down"
        case .expiredToken: "expired_device_code"
        case .accessDenied: "denied"
        }
    }
}
