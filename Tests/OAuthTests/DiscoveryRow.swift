import OAuth
import Testing
import VaultCrypto

/// One line of `discovery.jsonl`.
struct DiscoveryRow: Decodable, Sendable, CustomTestStringConvertible {
    struct Answer: Decodable, Sendable {
        let status: Int
        let headers: [String: String]?
        let body: String?
        let body_recipe: Recipe?

        var response: HTTPResponse {
            HTTPResponse(
                status: status,
                headers: (headers ?? [:]).map { (name: $0.key, value: $0.value) },
                body: Secret(body ?? body_recipe?.text ?? "")
            )
        }
    }

    struct Profile: Decodable, Sendable {
        let issuer_template: String?
    }

    struct Expected: Decodable, Sendable {
        let ok: Bool
        let error: String?
        let endpoint: String?
        let fetched_from: String?
        let issuer: String?
        let authorization_endpoint: String?
        let token_endpoint: String?
        let device_authorization_endpoint: String?
        let revocation_endpoint: String?
        let token_endpoint_auth_methods: [String]?
        let iss_parameter_required: Bool?
    }

    let id: String
    let issuer: String
    let responses: [String: Answer]
    let unlisted_urls: Answer
    let required_for: String?
    let needs_profile: Profile?
    let expect: Expected
    let alternatives: [Expected]?

    var testDescription: String { id }

    static let all = Corpus.rows("discovery.jsonl", as: DiscoveryRow.self)

    /// The value the vault decides for.
    var decision: Expected { ContestedChoices.decision(id, expect, alternatives) }

    func outcome() async -> Result<AuthorizationServerMetadata, DiscoveryError> {
        let grantType: GrantType? =
            switch required_for {
            case "code": .authorizationCode
            case "device": .deviceCode
            default: nil
            }
        let transport = DocumentTransport(
            documents: responses.mapValues(\.response),
            otherwise: unlisted_urls.response
        )
        do throws(DiscoveryError) {
            return .success(
                try await AuthorizationServerMetadata.discover(
                    issuer: issuer,
                    for: grantType,
                    issuerTemplate: needs_profile?.issuer_template,
                    using: transport
                )
            )
        } catch {
            return .failure(error)
        }
    }
}

extension DiscoveryError {
    /// The corpus's word for it.
    var corpusName: String {
        switch self {
        case .issuerInvalid: "invalid_input"
        case .issuerInsecure: "insecure_issuer"
        case .issuerMismatch: "issuer_mismatch"
        case .notFound: "not_found"
        case .redirected: "redirect"
        case .unavailable, .unreachable: "transient"
        case .malformed: "malformed"
        case .endpointInsecure: "insecure_endpoint"
        case .endpointMissing: "missing_endpoint"
        }
    }

    var endpoint: EndpointName? {
        switch self {
        case .endpointInsecure(let name), .endpointMissing(let name): name
        default: nil
        }
    }
}
