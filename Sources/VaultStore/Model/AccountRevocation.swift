package import OAuth
package import VaultCrypto

/// What is sent to revoke an account's tokens, and how its answer is read.
extension AccountSettings {
    /// The request that revokes a token; nil where nobody said where.
    package func revocationRequest(
        _ token: Secret,
        hint: RevocationRequest.TokenTypeHint
    ) -> HTTPRequest? {
        revocationEndpoint.map { endpoint in
            var request = RevocationRequest.make(
                token,
                hint: hint,
                client: client,
                endpoint: endpoint,
                form: revocationForm,
                format: provider?.quirks.bodyFormat ?? .form
            )
            request.network = network
            return request
        }
    }

    /// Reads what comes back.
    package var revocationReader: RevocationReader {
        RevocationReader(quirks: provider?.quirks ?? ProviderQuirks())
    }
}
