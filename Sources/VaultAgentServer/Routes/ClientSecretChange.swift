internal import OAuth
internal import VaultCrypto
internal import VaultKit

/// What a request to give a client another secret holds (`SetClientSecretDocument`).
///
/// Read without Foundation's decoder, which would leave the secret in text that nobody wipes.
struct ClientSecretChange {
    let client: ClientID
    let secret: Secret
    let tokenEndpoint: EndpointURL?
    let authentication: ClientAuthentication?
    let keepsOld: Bool

    init(_ body: [UInt8]) throws {
        let result = JSONReader.read(body.span)
        guard result.isComplete, let members = result.value.members,
            let client = members["clientID"]?.text, let secret = members["clientSecret"]?.secret,
            let keepsOld = members["keepsOld"]?.bool
        else { throw AccountAddition.malformed }
        let endpoint = try Self.optional(members["tokenEndpoint"])
        let method = try Self.optional(members["clientAuthentication"])
        guard !client.isEmpty else {
            throw VaultError(.invalidInput, facts: [.field: "client_id"])
        }
        authentication = try method.map { method in
            guard let known = ClientAuthentication(rawValue: method) else {
                throw VaultError(.invalidInput, facts: [.field: "client_authentication"])
            }
            return known
        }
        tokenEndpoint = try endpoint.map { try EndpointURL.checked($0, field: "token_endpoint") }
        self.client = ClientID(rawValue: client)
        self.secret = secret
        self.keepsOld = keepsOld
    }

    /// A string that may be left out or null.
    private static func optional(_ value: JSONValue?) throws -> String? {
        guard let value, value != .null else { return nil }
        guard let text = value.text else { throw AccountAddition.malformed }
        return text
    }
}
