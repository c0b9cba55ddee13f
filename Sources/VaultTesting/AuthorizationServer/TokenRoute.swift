internal import VaultCrypto
internal import VaultHTTPServer

/// The token endpoint: the ledger's answer, as far as the script lets it out.
struct TokenRoute {
    let core: AuthorizationServerCore

    func answer(_ request: HTTPServerRequest) async -> HTTPServerAnswer {
        let form = Form(body: request)
        core.withLedger {
            $0.counters.count(
                tokenRequest: form?["grant_type"] ?? "",
                refreshToken: form?["refresh_token"].map { Secret($0) }
            )
        }
        let scripted = core.nextScripted()
        await Self.pause(scripted.delayBeforeCommit)
        let response = scripted.commits ? ledgerResponse(request, form) : nil
        await Self.pause(scripted.delayAfterCommit)
        switch scripted.answer {
        case .ledger:
            return response.map { .response($0) } ?? .drop
        case .drop:
            return .drop
        case .raw(let bytes):
            return .raw(bytes)
        case .response(let status, let headers, let body):
            let headers = headers.map { (name: $0.key, value: $0.value) }
            return .response(HTTPServerResponse(status: status, headers: headers, text: body))
        }
    }

    private static func pause(_ seconds: Double) async {
        // Ends early only when the server is stopped.
        if seconds > 0 { try? await Task.sleep(for: .seconds(seconds)) }
    }

    private func ledgerResponse(_ request: HTTPServerRequest, _ form: Form?) -> HTTPServerResponse {
        guard let form, let grantType = form["grant_type"] else {
            return .oauthError("invalid_request")
        }
        do throws(ClientAuthentication.Failure) {
            let client = try ClientAuthentication.client(
                of: request,
                form: form,
                among: core.clients
            )
            return grantType == "client_credentials"
                ? grant(form, to: client) : grant(grantType, form, to: client.id)
        } catch {
            return error.response
        }
    }

    private func grant(_ type: String, _ form: Form, to client: String) -> HTTPServerResponse {
        do throws(LedgerRefusal) {
            let pair: TokenPair?
            switch type {
            case "authorization_code": pair = try exchange(form, client)
            case "refresh_token": pair = try refresh(form, client)
            case "urn:ietf:params:oauth:grant-type:device_code": pair = try poll(form, client)
            default: return .oauthError("unsupported_grant_type")
            }
            return pair.map { core.tokenResponse($0) } ?? .oauthError("invalid_request")
        } catch {
            return .oauthError(error.rawValue)
        }
    }

    /// The client's own credentials, which a public client has none of; no refresh token comes with
    /// them (RFC 6749 §4.4).
    private func grant(
        _ form: Form,
        to client: TestAuthorizationServer.Client
    ) -> HTTPServerResponse {
        guard client.secret != nil else { return .oauthError("unauthorized_client") }
        let now = core.clock()
        let pair = core.withLedger {
            $0.issue(subject: client.id, client: client.id, scope: form["scope"] ?? "", now: now)
        }
        return core.tokenResponse(pair, withRefreshToken: false)
    }

    private func exchange(_ form: Form, _ client: String) throws(LedgerRefusal) -> TokenPair? {
        guard let code = form["code"], let verifier = form["code_verifier"],
            let redirectURI = form["redirect_uri"]
        else { return nil }
        let now = core.clock()
        return try core.withLedger { ledger throws(LedgerRefusal) in
            try ledger.exchange(
                Secret(code),
                verifier: verifier,
                redirectURI: redirectURI,
                client: client,
                now: now
            )
        }
    }

    private func poll(_ form: Form, _ client: String) throws(LedgerRefusal) -> TokenPair? {
        guard let code = form["device_code"] else { return nil }
        let now = core.clock()
        return try core.withLedger { ledger throws(LedgerRefusal) in
            try ledger.poll(Secret(code), client: client, now: now)
        }
    }

    private func refresh(_ form: Form, _ client: String) throws(LedgerRefusal) -> TokenPair? {
        guard let token = form["refresh_token"] else { return nil }
        let now = core.clock()
        return try core.withLedger { ledger throws(LedgerRefusal) in
            try ledger.refresh(Secret(token), client: client, scope: form["scope"], now: now)
        }
    }
}
