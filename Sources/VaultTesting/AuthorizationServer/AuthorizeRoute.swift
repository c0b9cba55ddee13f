internal import VaultCrypto
internal import VaultHTTPServer

/// The authorization endpoint: consents at once, in the name of `login_hint` or of somebody new.
struct AuthorizeRoute {
    let core: AuthorizationServerCore

    func answer(_ request: HTTPServerRequest) -> HTTPServerResponse {
        // RFC 6749 §4.1.2.1: nothing is redirected to an address that may not be the client's.
        guard let form = Form(request.query), let clientID = form["client_id"],
            let client = core.clients.first(where: { $0.id == clientID }),
            let redirectURI = form["redirect_uri"], Self.mayUse(redirectURI, client)
        else { return HTTPServerResponse(status: 400, text: "unknown client or redirect_uri\n") }
        var fields = form["state"].map { [(name: "state", value: $0)] } ?? []
        fields.append(("iss", core.issuer))
        switch outcome(form, clientID: clientID, redirectURI: redirectURI) {
        case .success(let code): fields.insert(("code", code.reveal { $0 }), at: 0)
        case .failure(let refusal): fields.insert(("error", refusal.rawValue), at: 0)
        }
        let separator = redirectURI.contains("?") ? "&" : "?"
        return HTTPServerResponse(
            status: 302,
            headers: [("Location", "\(redirectURI)\(separator)\(FormCoding.encode(fields))")]
        )
    }

    private enum Refusal: String, Error {
        case invalidRequest = "invalid_request"
        case unsupportedResponseType = "unsupported_response_type"
    }

    private func outcome(
        _ form: Form,
        clientID: String,
        redirectURI: String
    ) -> Result<Secret, Refusal> {
        guard let type = form["response_type"] else { return .failure(.invalidRequest) }
        guard type == "code" else { return .failure(.unsupportedResponseType) }
        guard let challenge = form["code_challenge"], form["code_challenge_method"] == "S256"
        else { return .failure(.invalidRequest) }
        let code = CodeRequest(
            subject: form["login_hint"] ?? core.nextSubject(),
            client: clientID,
            redirectURI: redirectURI,
            scope: form["scope"] ?? "",
            challenge: challenge
        )
        let now = core.clock()
        return .success(core.withLedger { $0.makeCode(for: code, now: now) })
    }

    /// Registered, or http on a loopback address with any port (RFC 8252 §7.3).
    private static func mayUse(
        _ redirectURI: String,
        _ client: TestAuthorizationServer.Client
    ) -> Bool {
        if client.redirectURIs.contains(redirectURI) { return true }
        guard redirectURI.utf8.allSatisfy({ $0 > 32 && $0 < 127 }), !redirectURI.contains("#")
        else { return false }
        return ["127.0.0.1", "[::1]", "localhost"].contains { host in
            let start = "http://\(host)"
            guard redirectURI.hasPrefix(start) else { return false }
            return [nil, ":", "/", "?"].contains(redirectURI.dropFirst(start.count).first)
        }
    }
}
