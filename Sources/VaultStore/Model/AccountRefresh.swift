package import OAuth
package import VaultCrypto

/// What is sent to refresh an account, and how its answer is read.
///
/// Where a secret goes comes from the seal alone; the provider catalogue says how to speak there.
extension AccountSettings {
    /// The entry for the account's provider, where it names one that is known: that of the person's
    /// own which is sealed with it, else the catalogue's.
    package var provider: ProviderCatalogue.Entry? {
        ownProvider ?? refresh.provider.flatMap { ProviderCatalogue.builtIn[$0] }
    }

    /// Whether it names a provider that this program does not know: a newer one stored the account.
    ///
    /// Nothing is sent for it, as nobody here could read the answer.
    package var isOfUnknownProvider: Bool { refresh.provider != nil && provider == nil }

    /// Whether there is something to obtain the next access token with.
    package func isRenewable(with refreshToken: Secret?) -> Bool {
        switch grantKind {
        case .refreshToken: refreshToken != nil
        case .clientCredentials: true
        case .static: false
        }
    }

    /// The request that brings the next access token.
    ///
    /// - Parameters:
    ///   - refreshToken: The token to spend; without one the client's own credentials are all that is
    ///     presented.
    ///   - scope: The scope to ask for; without it all that was granted (RFC 6749 §6), which the
    ///     account's options may have named.
    ///   - resource: The resource to ask for (RFC 8707 §2.2).
    /// - Returns: What to send, once.
    package func refreshRequest(
        _ refreshToken: Secret?,
        scope: Scope? = nil,
        resource: String? = nil
    ) -> HTTPRequest {
        let quirks = provider?.quirks ?? ProviderQuirks()
        // What this one request asks for stands above what every refresh of the account has.
        let asked = Set([scope.map { _ in "scope" }, resource.map { _ in "resource" }])
        let extra = refresh.parameters.filter { !asked.contains($0.name) }
            .map { ($0.name, $0.value) }
        let added = extra + (resource.map { [("resource", $0)] } ?? [])
        var request =
            if let refreshToken {
                TokenRequest.refresh(
                    refreshToken,
                    client: client,
                    endpoint: refreshEndpoint,
                    scope: scope ?? (refresh.sendsScope ? requestedScope : nil),
                    scopeSeparator: quirks.scopeSeparator ?? " ",
                    extra: added,
                    format: quirks.bodyFormat ?? .form
                )
            } else {
                TokenRequest.clientCredentials(
                    client: client,
                    endpoint: refreshEndpoint,
                    // Nothing was granted before that would be granted again (RFC 6749 §4.4.2).
                    scope: scope ?? requestedScope,
                    scopeSeparator: quirks.scopeSeparator ?? " ",
                    extra: added,
                    format: quirks.bodyFormat ?? .form
                )
            }
        request.network = network
        return request
    }

    /// Reads what comes back.
    package var answerReader: TokenResponseReader {
        TokenResponseReader(
            grantType: grantKind == .clientCredentials ? .clientCredentials : .refreshToken,
            quirks: provider?.quirks ?? ProviderQuirks()
        )
    }
}

extension StoredAccount {
    /// Whether there is something to obtain the next access token with.
    package var isRenewable: Bool { settings.isRenewable(with: tokens.refreshToken) }
}
