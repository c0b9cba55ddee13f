import Testing
import VaultAgentClient

/// Exactly this text, and the same again after a round trip.
func expect<Document: Codable>(_ document: Document, _ json: String) throws {
    let bytes = try WireJSON.encode(document)
    #expect(String(decoding: bytes, as: UTF8.self) == json)
    let copy = try WireJSON.decode(Document.self, from: bytes)
    #expect(try WireJSON.encode(copy) == bytes)
}
