internal import FoundationEssentials
package import OAuth
package import Platform
package import VaultCrypto
internal import VaultStore

extension Vault {
    /// Gives an account a new grant, or adds it when there is none of this name.
    ///
    /// Of an account that is somebody else's, as far as the server says who signed in, the new tokens
    /// are revoked and nothing is changed.
    ///
    /// - Parameters:
    ///   - registration: What the account is.
    ///   - response: Its tokens.
    ///   - sent: When they were asked for.
    ///   - replacesIdentity: Whether the account may become somebody else's.
    /// - Returns: The account as it is stored.
    /// - Throws: ``VaultError``: `other_identity`, `grant_known` and those of an unwritable file.
    @discardableResult
    package func signIn(
        _ registration: AccountRegistration,
        _ response: TokenResponse,
        sent: Moment,
        replacesIdentity: Bool = false
    ) async throws -> Account {
        do {
            return try await store(
                registration,
                response,
                sent: sent,
                replacing: .always,
                ofSameIdentity: !replacesIdentity
            )
        } catch let error as VaultError {
            guard error.code == .otherIdentity else { throw error }
            let new = registration.newAccount(
                response,
                id: nil,
                generation: 1,
                sent: sent,
                now: clock.now()
            )
            var facts = error.facts
            facts[.reason] = await dropped(new)
            throw VaultError(.otherIdentity, account: registration.name, facts: facts)
        }
    }
}

extension Vault {
    /// Who signed in, as far as the server says.
    package func identity(
        in response: TokenResponse,
        of metadata: AuthorizationServerMetadata,
        client: ClientID,
        nonce: Secret?,
        requestedScope: Scope,
        network: NetworkOptions = NetworkOptions()
    ) async -> Identity? {
        await Identity.find(
            in: response,
            of: metadata,
            client: client,
            nonce: nonce,
            requestedScope: requestedScope,
            at: clock.now().wall,
            using: transport.through(network)
        )
    }

    /// Revokes tokens that came for a sign-in which nobody waits for any more.
    ///
    /// - Returns: What became of them, in a word: `revoked`, `shared` where an account may be of the
    ///   same grant, and else why they could not be revoked.
    package func drop(
        _ registration: AccountRegistration,
        _ response: TokenResponse,
        sent: Moment
    ) async -> String {
        await dropped(
            registration.newAccount(response, id: nil, generation: 1, sent: sent, now: clock.now())
        )
    }

    /// Revokes the tokens of an account that is not stored; says in a word what became of them.
    ///
    /// Several providers revoke every grant of a person and client at once, which another account may
    /// have. Where nobody knows whose the tokens are, any account of the client may.
    private func dropped(_ new: NewAccount) async -> String {
        let subject = new.settings.identity?.subject
        let others = try? accounts { other in
            other.mayHaveClient(of: new.settings)
                && (subject == nil || other.identity == nil || other.identity?.subject == subject)
        }
        guard let others, others.names.isEmpty, !others.areSomeUnreadable else { return "shared" }
        let failure = await Revoker(transport: transport, clock: clock)
            .revoke(new.tokens, of: new.settings)
        return failure.map { $0.facts[.reason] ?? $0.code.rawValue } ?? "revoked"
    }

    /// The accounts that the same person signed in to with the same client.
    func accounts(
        sharing settings: AccountSettings,
        besides id: AccountID?
    ) throws -> [AccountName] {
        guard let subject = settings.identity?.subject else { return [] }
        return try accounts(besides: id) { other in
            other.identity?.subject == subject && other.mayHaveClient(of: settings)
        }
        .names
    }

    private func accounts(
        besides id: AccountID? = nil,
        where isMeant: (AccountSettings) -> Bool
    ) throws -> (names: [AccountName], areSomeUnreadable: Bool) {
        var (found, areSomeUnreadable, last): ([AccountName], Bool, String?) = ([], false, nil)
        repeat {
            let page = try store.accountPage(after: last, limit: 256)
            found += page.accounts.filter { $0.id != id && isMeant($0.settings) }.map(\.name)
            areSomeUnreadable = areSomeUnreadable || !page.damaged.isEmpty
            last = page.next
        } while last != nil
        return (found, areSomeUnreadable)
    }
}

extension AccountSettings {
    /// Whether nothing says that another account is not of the same client at the same server.
    ///
    /// One that came by a provider's name, or was added, need not know its issuer.
    fileprivate func mayHaveClient(of other: AccountSettings) -> Bool {
        let isOfOtherServer =
            issuer != nil && other.issuer != nil && issuer != other.issuer
            && tokenEndpoint != other.tokenEndpoint
        return client.id == other.client.id && !isOfOtherServer
    }
}

extension AccountRegistration {
    /// The same, of whom the account is when the server does not say who signed in this time.
    ///
    /// What kept strangers out before is not lost by an answer that tells nothing.
    func keepingIdentity(of old: AccountSettings) -> AccountRegistration {
        guard identity == nil, grantKind == old.grantKind, issuer == old.issuer,
            tokenEndpoint == old.tokenEndpoint
        else { return self }
        var kept = self
        kept.identity = old.identity
        return kept
    }

    /// Refuses to take the place of an account that is somebody else's.
    ///
    /// A subject is one only together with its issuer (OpenID Connect Core 1.0 §5.7). Where either
    /// side is not known, nothing says that they differ.
    func refuseAnother(than old: AccountSettings) throws(VaultError) {
        guard let new = identity, let known = old.identity,
            new.subject != known.subject || issuer != old.issuer
        else { return }
        throw VaultError(
            .otherIdentity,
            account: name,
            facts: [.found: Self.shown(new, issuer), .wanted: Self.shown(known, old.issuer)]
        )
    }

    private static func shown(_ identity: Identity, _ issuer: String?) -> String {
        let name = identity.name ?? identity.subject
        return issuer.map { "\(name) (\($0))" } ?? name
    }
}
