import FoundationEssentials
import Testing
import VaultAgentClient

@Suite struct ClientDocumentTests {
    @Test func whatIsUnknownIsNull() throws {
        let document = ClientListDocument(
            clients: [
                ClientDocument(
                    id: "c",
                    tokenEndpoint: "https://as.example/token",
                    accounts: 2,
                    authentication: nil,
                    otherSecret: false,
                    state: "ok",
                    since: nil,
                    nextTryAt: nil,
                    pausedUntil: nil,
                    rotation: "unknown",
                    rotationSource: nil
                )
            ],
            damaged: ["x"]
        )
        try expect(
            document,
            """
            {"clients":[{"accounts":2,"authentication":null,"id":"c","nextTryAt":null,\
            "otherSecret":false,"pausedUntil":null,"rotation":"unknown","rotationSource":null,\
            "since":null,"state":"ok","tokenEndpoint":"https://as.example/token"}],\
            "damaged":["x"],"schemaVersion":1}
            """
        )
    }

    @Test func changes() throws {
        try expect(
            ClientChangeDocument(clientID: "c", accounts: ["a", "b"]),
            #"{"accounts":["a","b"],"clientID":"c","schemaVersion":1}"#
        )
        try expect(
            SetClientSecretDocument(clientID: "c", clientSecret: "s", keepsOld: true),
            #"{"clientID":"c","clientSecret":"s","keepsOld":true}"#
        )
    }

    private func expect<Document: Codable>(_ document: Document, _ json: String) throws {
        let bytes = try WireJSON.encode(document)
        #expect(String(decoding: bytes, as: UTF8.self) == json)
        let copy = try WireJSON.decode(Document.self, from: bytes)
        #expect(try WireJSON.encode(copy) == bytes)
    }
}
