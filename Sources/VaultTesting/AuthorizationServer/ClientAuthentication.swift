internal import FoundationEssentials
internal import VaultCrypto
internal import VaultHTTPServer

/// Who asks at the token and revocation endpoints (RFC 6749 §2.3.1).
enum ClientAuthentication {
    enum Failure: Error {
        case wrong(usedBasic: Bool)

        /// The answer of RFC 6749 §5.2.
        var response: HTTPServerResponse {
            switch self {
            case .wrong(let usedBasic):
                .oauthError(
                    "invalid_client",
                    status: 401,
                    headers: usedBasic ? [("WWW-Authenticate", #"Basic realm="test""#)] : []
                )
            }
        }
    }

    /// The authenticated client; a public one only names itself.
    static func client(
        of request: HTTPServerRequest,
        form: Form,
        among clients: [TestAuthorizationServer.Client]
    ) throws(Failure) -> TestAuthorizationServer.Client {
        let usesBasic = request.header("Authorization") != nil
        let given =
            usesBasic
            ? basic(request) : (id: form["client_id"], secret: form["client_secret"])
        guard let client = clients.first(where: { $0.id == given.id }),
            client.secret == given.secret.map({ Secret($0) })
        else { throw .wrong(usedBasic: usesBasic) }
        return client
    }

    /// Identifier and secret, each form-encoded before they were joined.
    private static func basic(_ request: HTTPServerRequest) -> (id: String?, secret: String?) {
        let words = (request.header("Authorization") ?? "").split(separator: " ")
        guard words.count == 2, words[0].lowercased() == "basic",
            let decoded = Data(base64Encoded: String(words[1]))
        else { return (nil, nil) }
        let parts = String(decoding: decoded, as: UTF8.self)
            .split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            .map { FormCoding.decodeComponent($0) }
        return parts.count == 2 ? (parts[0], parts[1]) : (nil, nil)
    }
}
