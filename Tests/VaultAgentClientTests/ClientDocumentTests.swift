import FoundationEssentials
import OAuth
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

    @Test("a client is the same after its way over the socket")
    func roundTrip() throws {
        for rotation in [.unknown, .told(.grace(seconds: 30)), .learned(.strict)]
            as [ClientOverview.Rotation]
        {
            let client = ClientOverview(
                id: ClientID(rawValue: "c"),
                tokenEndpoint: try EndpointURL("https://as.example/token"),
                accountCount: 2,
                authentication: rotation == .unknown ? nil : .clientSecretPost,
                hasOtherSecret: true,
                state: .doubted,
                since: Date(timeIntervalSince1970: 1_760_000_000),
                nextTry: nil,
                pausedUntil: nil,
                rotation: rotation
            )
            #expect(ClientOverview(ClientDocument(client)) == client)
        }
    }
}
