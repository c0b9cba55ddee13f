/// What the agent needs to add an account.
package struct AddAccountDocument: Codable, Sendable {
    package let name: String
    /// Left out of a token that is never renewed, as is the client.
    package let tokenEndpoint: String?
    package let clientID: String?
    package let clientSecret: String?
    package let clientAuthentication: String?
    package let issuer: String?
    package let scope: [String]
    /// The token endpoint's answer (RFC 6749 §5.1), as it was.
    package let tokenResponse: String
    /// What its refreshes have of their own; without it they are as the standard has them.
    package let refresh: Refresh?
    /// What the account is found by; left out where nobody told.
    package let tags: [String]?
    /// When it is renewed in the background; left out where nobody told.
    package let renewal: String?
    /// How its requests reach the server.
    package var network: NetworkDocument?
    /// Parameters of its authorization requests.
    package var authorizationParameters: [Parameter]?
    /// What the names in its provider's endpoints stand for.
    package var providerParameters: [String: String]?
    /// Where its tokens are revoked, where its provider does not say.
    package var revocationEndpoint: String?
    /// What its access tokens are obtained with; a refresh token unless told.
    package let grant: String?
    /// Whether an account of the name gets the new tokens in place of its own; left out for no.
    package let replace: Bool?

    /// What an account's refreshes have of their own, each left out where nobody told.
    package struct Refresh: Codable, Sendable {
        /// Name in the provider catalogue, which says what is left out here.
        package let provider: String?
        /// `unknown`, `none`, `overlap`, `grace:SECONDS` or `strict`.
        package let rotation: String?
        package let parameters: [Parameter]?
        package let sendsScope: Bool?
        package let endpoint: String?

        package init(
            provider: String? = nil,
            rotation: String? = nil,
            parameters: [Parameter]? = nil,
            sendsScope: Bool? = nil,
            endpoint: String? = nil
        ) {
            self.provider = provider
            self.rotation = rotation
            self.parameters = parameters
            self.sendsScope = sendsScope
            self.endpoint = endpoint
        }
    }

    /// A parameter added to each refresh; never a secret.
    package struct Parameter: Codable, Sendable {
        package let name: String
        package let value: String

        package init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    package init(
        name: String,
        tokenEndpoint: String? = nil,
        clientID: String? = nil,
        clientSecret: String? = nil,
        clientAuthentication: String? = nil,
        issuer: String?,
        scope: [String],
        tokenResponse: String,
        refresh: Refresh? = nil,
        tags: [String]? = nil,
        renewal: String? = nil,
        grant: String? = nil,
        replace: Bool? = nil
    ) {
        self.name = name
        self.tokenEndpoint = tokenEndpoint
        self.clientID = clientID
        self.clientSecret = clientSecret
        self.clientAuthentication = clientAuthentication
        self.issuer = issuer
        self.scope = scope
        self.tokenResponse = tokenResponse
        self.refresh = refresh
        self.tags = tags
        self.renewal = renewal
        self.grant = grant
        self.replace = replace
    }
}

/// How the tags of an account are to change.
package struct ChangeTagsDocument: Codable, Sendable {
    package let add: [String]
    package let remove: [String]

    package init(add: [String], remove: [String]) {
        self.add = add
        self.remove = remove
    }
}

/// When an account is to be renewed in the background.
package struct RenewalDocument: Codable, Sendable {
    package let renewal: String

    package init(renewal: String) {
        self.renewal = renewal
    }
}

/// What the agent needs to begin a sign-in.
package struct BeginSignInDocument: Codable, Sendable {
    package let name: String
    /// What is left out is what the account was signed in with before.
    package let issuer: String?
    package let clientID: String?
    package let clientSecret: String?
    package let scope: [String]
    package let redirectURI: String?
    /// When it is renewed in the background.
    package let renewal: String?
    /// How its requests reach the server.
    package var network: NetworkDocument?
    /// Parameters of the authorization request, and of refreshes.
    package var authorizationParameters: [AddAccountDocument.Parameter]?
    package var refreshParameters: [AddAccountDocument.Parameter]?
    /// Whether the account may become somebody else's; left out for no.
    package let replace: Bool?
    /// How somebody signs in, by the words of `vault login --flow`.
    package let flow: String?
    /// Where the device flow begins, where discovery does not say.
    package let deviceAuthorizationEndpoint: String?
    /// Where its tokens are revoked, where discovery does not say.
    package var revocationEndpoint: String?
    /// The provider, of the catalogue or of the person's own.
    package var provider: String?
    /// What the names in the provider's endpoints stand for.
    package var providerParameters: [String: String]?
    package var clientAuthentication: String?

    package init(
        name: String,
        issuer: String?,
        clientID: String?,
        clientSecret: String?,
        scope: [String],
        redirectURI: String?,
        renewal: String? = nil,
        replace: Bool? = nil,
        flow: String? = nil,
        deviceAuthorizationEndpoint: String? = nil
    ) {
        self.name = name
        self.issuer = issuer
        self.clientID = clientID
        self.clientSecret = clientSecret
        self.scope = scope
        self.redirectURI = redirectURI
        self.renewal = renewal
        self.replace = replace
        self.flow = flow
        self.deviceAuthorizationEndpoint = deviceAuthorizationEndpoint
    }
}

/// What a change came to, without any token.
package struct ChangeDocument: Codable, Sendable {
    package var schemaVersion = WireJSON.schemaVersion
    package let account: AccountDocument
    package let generation: UInt64
    /// Whether there is a refresh token.
    package let renewable: Bool

    package init(account: AccountDocument, generation: UInt64, renewable: Bool) {
        self.account = account
        self.generation = generation
        self.renewable = renewable
    }
}

/// What a starting agent tells the process that started it, in one line.
package struct AgentReadyDocument: Codable, Sendable {
    package let pid: Int32
    /// Another agent of this vault runs already.
    package let alreadyRunning: Bool
    /// Set when nothing here opened the vault.
    package let locked: Bool?
    package let error: ErrorDocument.Failure?

    package init(
        pid: Int32,
        alreadyRunning: Bool = false,
        locked: Bool? = nil,
        error: ErrorDocument.Failure? = nil
    ) {
        self.pid = pid
        self.alreadyRunning = alreadyRunning
        self.locked = locked
        self.error = error
    }
}
