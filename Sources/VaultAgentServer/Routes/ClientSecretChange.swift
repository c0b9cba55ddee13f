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

    private static let known: Set = [
        "clientID", "clientSecret", "tokenEndpoint", "clientAuthentication", "keepsOld",
    ]

    init(_ body: [UInt8]) throws {
        let members = try BodyMembers(body, known: Self.known)
        let client = try members.required("clientID", \.text)
        let endpoint = try members.optional("tokenEndpoint", \.text)
        let method = try members.optional("clientAuthentication", \.text)
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
        secret = try members.required("clientSecret", \.secret)
        keepsOld = try members.required("keepsOld", \.bool)
    }
}
