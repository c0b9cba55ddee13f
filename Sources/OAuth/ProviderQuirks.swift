/// Where one provider's token endpoint departs from RFC 6749: data of the provider catalogue, so that
/// no code knows a provider by name.
package struct ProviderQuirks: Sendable, Hashable, Codable {
    package enum TimeUnit: String, Sendable, Hashable, Codable {
        case seconds
        case milliseconds
    }

    /// What an error code of the provider's own means.
    package enum ErrorMeaning: String, Sendable, Hashable, Codable, CaseIterable {
        case grantRefused = "grant_refused"
        case interactionRequired = "interaction_required"
        case clientRefused = "client_refused"
        case requestRefused = "request_refused"
        case throttled
        case transient
    }

    /// A phrase in an explanation, and perhaps the code it must come with.
    package struct ErrorText: Sendable, Hashable, Codable {
        package var text: String
        /// As in `errorCodes`; without one any code does.
        package var code: String?
        package var meaning: ErrorMeaning

        package init(text: String, code: String? = nil, meaning: ErrorMeaning) {
            self.text = text
            self.code = code
            self.meaning = meaning
        }
    }

    /// How parameters are sent.
    package var bodyFormat: TokenRequest.BodyFormat?
    /// The member that holds all the others, in answers that have it.
    package var tokenPath: String?
    package var accessTokenPath: String?
    package var refreshTokenPath: String?
    package var scopePath: String?
    /// The member with the lifetime; where it is, no other counts.
    package var expiresInField: String?
    package var expiresInUnit: TimeUnit?
    /// The member with the absolute expiry; where it is, no other counts.
    package var expiresAtPath: String?
    /// Error codes, in lower case with underscores, or numbers as text.
    package var errorCodes: [String: ErrorMeaning]?
    /// Texts that say what their code does not; they stand above codes.
    package var errorTexts: [ErrorText]?
    /// The member that tells success by having one value.
    package var resultField: String?
    package var okResult: String?
    /// The issuer a discovery document states in place of the one asked for.
    package var issuerTemplate: String?
    /// What stands between the names of a scope that is asked for, in place of a blank.
    package var scopeSeparator: String?

    package init() {}

    package enum CodingKeys: String, CodingKey, CaseIterable {
        case bodyFormat = "body_format"
        case tokenPath = "token_path"
        case accessTokenPath = "access_token_path"
        case refreshTokenPath = "refresh_token_path"
        case scopePath = "scope_path"
        case expiresInField = "expires_in_field"
        case expiresInUnit = "expires_in_unit"
        case expiresAtPath = "expires_at_path"
        case errorCodes = "error_codes"
        case errorTexts = "error_texts"
        case resultField = "result_field"
        case okResult = "ok_result"
        case issuerTemplate = "issuer_template"
        case scopeSeparator = "scope_separator"
    }
}

extension ProviderQuirks.ErrorMeaning {
    var answerClass: AnswerClass {
        switch self {
        case .grantRefused: .grantRefused
        case .interactionRequired: .interactionRequired
        case .clientRefused: .clientRefused
        case .requestRefused: .requestRefused
        case .throttled: .throttled
        case .transient: .ambiguous(.transient)
        }
    }
}
