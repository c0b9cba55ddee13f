internal import OAuth
internal import VaultCrypto
internal import VaultKit
internal import VaultStore

/// What a request to add an account holds (`AddAccountDocument`).
///
/// Read without Foundation's decoder, which would leave the tokens in text that nobody wipes.
struct AccountAddition {
    let tokenResponse: Secret
    private let members: JSONObject

    init(_ body: [UInt8]) throws {
        let result = JSONReader.read(body.span)
        guard result.isComplete, let members = result.value.members,
            let response = members["tokenResponse"]?.secret
        else { throw Self.malformed }
        tokenResponse = response
        self.members = members
    }

    /// The account's settings, once each of them is what it should be.
    func registration() throws -> AccountRegistration {
        let (name, endpoint) = (try text("name"), try text("tokenEndpoint"))
        let (client, method) = (try text("clientID"), try text("clientAuthentication"))
        let (secret, issuer) = (try optional("clientSecret"), try optional("issuer"))
        guard let scope = members["scope"]?.array?.map(\.text), !scope.contains(nil) else {
            throw Self.malformed
        }
        guard let name = AccountName(name) else {
            throw VaultError(.invalidInput, facts: [.field: "name"])
        }
        guard let authentication = ClientAuthentication(rawValue: method) else {
            throw VaultError(.invalidInput, facts: [.field: "client_authentication"])
        }
        guard !client.isEmpty else {
            throw VaultError(.invalidInput, facts: [.field: "client_id"])
        }
        guard (authentication == .none) == (secret?.isEmpty ?? true) else {
            throw VaultError(.invalidInput, facts: [.field: "client_secret"])
        }
        let issuerText = issuer?.reveal { $0 }
        if let issuerText { _ = try EndpointURL.checked(issuerText, field: "issuer") }
        let registration = AccountRegistration(
            name: name,
            client: Client(
                id: ClientID(rawValue: client),
                secret: secret,
                authentication: authentication
            ),
            tokenEndpoint: try EndpointURL.checked(endpoint, field: "token_endpoint"),
            issuer: issuerText,
            requestedScope: Scope(scope.compactMap { $0 }),
            refresh: try RefreshAddition.options(members["refresh"]),
            tags: try tags()
        )
        try registration.check()
        return registration
    }

    private func tags() throws -> Set<AccountTag> {
        guard let value = members["tags"], value != .null else { return [] }
        guard let texts = value.array?.map(\.text), !texts.contains(nil) else {
            throw Self.malformed
        }
        return try AccountTag.checked(texts.compactMap { $0 })
    }

    private func text(_ name: String) throws -> String {
        guard let text = members[name]?.text else { throw Self.malformed }
        return text
    }

    /// A string that may be left out or null.
    private func optional(_ name: String) throws -> Secret? {
        guard let value = members[name], value != .null else { return nil }
        guard let secret = value.secret else { throw Self.malformed }
        return secret
    }

    static var malformed: VaultError {
        VaultError(.invalidInput, facts: [.field: "body"])
    }
}
