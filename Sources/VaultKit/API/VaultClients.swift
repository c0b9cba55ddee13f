public import OAuth
public import VaultCrypto
public import VaultStore

extension Vault {
    /// The clients of the vault's accounts, in the order of their identifiers.
    ///
    /// An account whose records do not open is left out: ``damagedAccounts()`` names it.
    ///
    /// - Throws: ``VaultError``.
    @concurrent
    public func clients() async throws -> [ClientOverview] {
        try await allClients().clients
    }

    /// Every client, and the names of the accounts that do not open.
    package func allClients() async throws -> (clients: [ClientOverview], damaged: [String]) {
        try await translating {
            try ClientOverview.all(
                at: clock.now(),
                page: { try store.accountPage(after: $0, limit: 256) },
                state: { try store.clientState(of: $0) }
            )
        }
    }

    /// Gives a client another secret, in every account that was signed in with it.
    ///
    /// One transaction: all of them have it, or none. Those that waited because their client was
    /// refused are refreshed now; what is in flight ends with the old secret.
    ///
    /// - Parameters:
    ///   - client: The client.
    ///   - secret: Its new secret.
    ///   - tokenEndpoint: Which client, where those of several servers happen to have one identifier.
    ///   - authentication: How it authenticates from now on; as before unless told.
    ///   - keepingOld: Whether the old secret is tried again when the new one is refused.
    /// - Returns: The accounts.
    /// - Throws: ``VaultError``: `no_such_client`, `invalid_input` when it is not clear which client,
    ///   and those of an unwritable file.
    @discardableResult
    public func setSecret(
        of client: ClientID,
        to secret: Secret,
        tokenEndpoint: EndpointURL? = nil,
        authentication: ClientAuthentication? = nil,
        keepingOld: Bool = false
    ) async throws -> [AccountName] {
        guard !secret.isEmpty, authentication != ClientAuthentication.none else {
            throw VaultError(.invalidInput, facts: [.field: "client_secret"])
        }
        return try await translating {
            let names = try await store.setSecret(
                NewClientSecret(
                    client: client,
                    tokenEndpoint: tokenEndpoint,
                    secret: secret,
                    authentication: authentication,
                    keepsOld: keepingOld
                ),
                at: clock.now().wall
            )
            states.tell()
            schedulerWakeup.wake()
            return names
        }
    }
}
