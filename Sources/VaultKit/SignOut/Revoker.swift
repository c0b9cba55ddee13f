internal import FoundationEssentials
internal import OAuth
internal import Platform
internal import VaultCrypto
internal import VaultStore

/// Ends tokens at their authorization server (RFC 7009), or in the form that their provider has.
struct Revoker: Sendable {
    let transport: any HTTPTransport
    let clock: any VaultClock

    /// Revokes a grant.
    ///
    /// - Returns: Why the grant has to be taken as alive; nil once it is dead.
    func revoke(_ tokens: TokenSet, of settings: AccountSettings) async -> VaultError? {
        let now = clock.now()
        let alive = tokens.accessTokens.filter { ($0.secondsLeft(at: now) ?? 1) > 0 }
        guard tokens.refreshToken != nil || !alive.isEmpty else { return nil }
        guard settings.grantKind != .static else {
            return failure(of: settings, [.reason: AccountState.static.rawValue])
        }
        return settings.revocationForm.takesAccessToken
            ? await revokeGrant(by: alive, settings)
            : await revokeEach(tokens.refreshToken, alive, settings)
    }

    /// Revokes the refresh token first, which takes the access tokens along where a server keeps
    /// to RFC 7009 §2.1, and then each access token that is still alive.
    private func revokeEach(
        _ refreshToken: Secret?,
        _ alive: [StoredAccessToken],
        _ settings: AccountSettings
    ) async -> VaultError? {
        if let refreshToken {
            if let failure = await revoke(refreshToken, .refreshToken, settings) { return failure }
        }
        for token in alive {
            guard let failure = await revoke(token.value, .accessToken, settings) else { continue }
            // Without its refresh token it is gone within its life, and some servers revoke none.
            return refreshToken == nil ? failure : nil
        }
        return nil
    }

    /// Has the newest access token speak for the grant; one that is over speaks for nothing.
    private func revokeGrant(
        by alive: [StoredAccessToken],
        _ settings: AccountSettings
    ) async -> VaultError? {
        let now = clock.now()
        let newest = alive.min { now.seconds(since: $0.obtained) < now.seconds(since: $1.obtained) }
        guard let newest else { return failure(of: settings, [.reason: "no_access_token"]) }
        return await revoke(newest.value, .accessToken, settings)
    }

    private func revoke(
        _ token: Secret,
        _ hint: RevocationRequest.TokenTypeHint,
        _ settings: AccountSettings
    ) async -> VaultError? {
        guard let request = settings.revocationRequest(token, hint: hint) else {
            return failure(of: settings, [.reason: "no_endpoint"])
        }
        let host = request.url.host
        do throws(HTTPTransportError) {
            let response = try await transport.send(request)
            let answer = settings.revocationReader
                .read(response, received: clock.now().wall, presented: token)
            guard case .failed(let error) = answer else {
                return isUnheard(answer, settings)
                    ? failure(of: settings, [.reason: "no_access_token"]) : nil
            }
            var facts: [VaultError.Fact: String] = [.host: host, .status: "\(error.status)"]
            facts[.error] = error.code
            facts[.errorDescription] = error.description
            facts[.retryAfter] = error.retryAfter.map { "\($0)" }
            return failure(of: settings, facts)
        } catch {
            return failure(of: settings, [.host: host, .reason: error.reason.rawValue])
        }
    }

    /// Whether an access token that was to speak for its grant is none there any more: the grant may
    /// live on.
    private func isUnheard(_ answer: RevocationAnswer, _ settings: AccountSettings) -> Bool {
        guard case .unknown = answer else { return false }
        return settings.revocationForm.takesAccessToken && settings.grantKind == .refreshToken
    }

    private func failure(
        of settings: AccountSettings,
        _ facts: [VaultError.Fact: String]
    ) -> VaultError {
        VaultError(.revocationFailed, account: settings.name, facts: facts)
    }
}
