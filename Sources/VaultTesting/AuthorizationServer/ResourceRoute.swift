internal import VaultCrypto
internal import VaultHTTPServer

/// A protected resource: says whose token it was shown (RFC 6750 §2.1, §3).
struct ResourceRoute {
    let core: AuthorizationServerCore

    func answer(_ request: HTTPServerRequest) -> HTTPServerResponse {
        let words = (request.header("Authorization") ?? "").split(separator: " ")
        guard words.count == 2, words[0].lowercased() == "bearer" else {
            core.withLedger { $0.counters.apiRefused += 1 }
            return Self.unauthorized(#"Bearer realm="test""#)
        }
        let now = core.clock()
        let token = Secret(String(words[1]))
        guard let pair = core.withLedger({ $0.present(token, now: now) }) else {
            return Self.unauthorized(#"Bearer realm="test", error="invalid_token""#)
        }
        return .json(["subject": pair.subject, "scope": pair.scope])
    }

    private static func unauthorized(_ challenge: String) -> HTTPServerResponse {
        HTTPServerResponse(status: 401, headers: [("WWW-Authenticate", challenge)])
    }
}

/// The revocation endpoint: unknown tokens are answered 200 as well (RFC 7009 §2.2).
struct RevokeRoute {
    let core: AuthorizationServerCore

    func answer(_ request: HTTPServerRequest) -> HTTPServerResponse {
        guard let form = Form(body: request), let token = form["token"] else {
            return .oauthError("invalid_request")
        }
        do throws(ClientAuthentication.Failure) {
            let client = try ClientAuthentication.client(
                of: request,
                form: form,
                among: core.clients
            )
            core.withLedger { $0.revoke(Secret(token), client: client.id) }
            return HTTPServerResponse(status: 200)
        } catch {
            return error.response
        }
    }
}
