/// What sending a request with an access token came to, as its sender sees it.
public enum AuthorizedAttempt<Response> {
    /// There is an answer, and the token is not what is wrong with it.
    case finished(Response)
    /// The resource server rejected the token.
    case unauthorized(Response)
    /// The same from a client that throws instead of answering.
    case unauthorizedError(any Error)

    /// An answer judged by its status and its challenges.
    ///
    /// A 401 means that the token was rejected, unless it says `insufficient_scope`: no other token of
    /// the same grant has more. `invalid_token` means so with 400 and 403 as well, which servers send that
    /// do not keep to the status (RFC 6750 §3.1).
    ///
    /// - Parameters:
    ///   - response: The answer.
    ///   - status: Its status code.
    ///   - challenges: The values of its `WWW-Authenticate` fields, in one text or several.
    public init(_ response: Response, status: Int, challenges: [String]) {
        let isRejection = BearerChallenge.rejectsToken(status: status, challenges: challenges)
        self = isRejection ? .unauthorized(response) : .finished(response)
    }

    /// The answer, whatever it says.
    ///
    /// - Throws: The error of a client that throws.
    func get() throws -> Response {
        switch self {
        case .finished(let response), .unauthorized(let response): return response
        case .unauthorizedError(let error): throw error
        }
    }

    var isUnauthorized: Bool {
        switch self {
        case .finished: false
        case .unauthorized, .unauthorizedError: true
        }
    }
}

extension AuthorizedAttempt: Sendable where Response: Sendable {}
