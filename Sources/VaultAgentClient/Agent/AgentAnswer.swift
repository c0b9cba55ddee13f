internal import OAuth
internal import VaultAccess
internal import VaultCrypto

/// An answer of the agent that is no error; its bytes are wiped with it.
struct AgentAnswer: Sendable {
    let body: Secret

    /// Takes the bytes over.
    ///
    /// - Throws: `VaultError` as the agent said it; `malformedAnswer` for an error that makes no
    ///   sense.
    init(_ answer: consuming AgentConnection.Answer) throws {
        let status = answer.status
        body = Secret(wiping: &answer.body)
        guard status >= 300 else { return }
        guard let document = document(ErrorDocument.self) else {
            throw AgentConnection.Failure.malformedAnswer
        }
        throw VaultError(document.error)
    }

    /// The document in it, for those that have no token; nil when it is none.
    func document<Document: Decodable>(_ type: Document.Type) -> Document? {
        let bytes = body.withBytes { bytes in bytes.indices.map { bytes[$0] } }
        return try? WireJSON.decode(type, from: bytes)
    }
}
