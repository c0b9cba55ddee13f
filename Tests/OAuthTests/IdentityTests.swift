import OAuth
import Testing
import VaultCrypto

import struct FoundationEssentials.Data
import struct FoundationEssentials.Date

/// Who signed in, as ID tokens and userinfo tell.
@Suite struct IdentityTests {
    private static let now = Date(timeIntervalSince1970: 1_760_000_000)
    private static let issuer = "https://as.example"
    private static let client = ClientID(rawValue: "client")

    private static func token(_ claims: String) -> Secret {
        let parts = [#"{"alg":"RS256"}"#, claims].map { text in
            Data(text.utf8).base64EncodedString().replacing("+", with: "-")
                .replacing("/", with: "_").replacing("=", with: "")
        }
        return Secret(parts.joined(separator: ".") + ".c2lnbmF0dXJl")
    }

    private static func read(_ claims: String) -> Result<Identity, IDToken.Flaw> {
        Result { () throws(IDToken.Flaw) in
            try IDToken.identity(
                in: token(claims),
                issuer: issuer,
                client: client,
                nonce: nil,
                at: now
            )
        }
    }

    @Test(
        "an ID token tells who signed in",
        arguments: [
            (#""sub":"s","email":"e@x.example","name":"N""#, "s", "e@x.example"),
            (#""sub":"s","preferred_username":"p","email":"""#, "s", "p"),
            (#""sub":"s","name":"N""#, "s", "N"), (#""sub":"s""#, "s", nil),
            (#""sub":"s","name":"a\u001b[2Jb\u202ec""#, "s", "a[2Jbc"),
        ]
    )
    func identity(claims: String, subject: String, name: String?) throws {
        let rest = #","iss":"https://as.example","aud":"client","exp":1760000060"#
        let identity = try Self.read("{\(claims)\(rest)}").get()
        #expect(identity.subject == subject && identity.name == name)
    }

    @Test(
        "an ID token of another server, for another client or from another time says nothing",
        arguments: [
            (#""iss":"https://other.example","aud":"client","exp":1760000060"#, .issuer),
            (#""aud":"client","exp":1760000060"#, .issuer),
            (#""iss":"http://as.example","aud":"client","exp":1760000060"#, .issuer),
            (#""iss":"https://as.example","aud":"other","exp":1760000060"#, .audience),
            (#""iss":"https://as.example","exp":1760000060"#, .audience),
            (
                #""iss":"https://as.example","aud":["client","x"],"azp":"x","exp":1760000060"#,
                .audience
            ),
            (#""iss":"https://as.example","aud":"client","exp":1759999000"#, .expired),
            (#""iss":"https://as.example","aud":"client""#, .expired),
        ] as [(String, IDToken.Flaw)]
    )
    func flaw(claims: String, flaw: IDToken.Flaw) {
        #expect(Self.read(#"{"sub":"s",\#(claims)}"#) == .failure(flaw))
    }

    @Test(
        "what is accepted of an ID token",
        arguments: [
            #""iss":"as.example","aud":["x","client"],"azp":"client","exp":1760000060"#,
            #""iss":"https://as.example/","aud":"client","exp":1759999900"#,
        ]
    )
    func tolerance(claims: String) {
        #expect(Self.read(#"{"sub":"s",\#(claims)}"#) == .success(Self.someone))
    }

    @Test("where nobody knows the issuer the word of the token endpoint stands")
    func unknownIssuer() throws {
        let claims = #"{"sub":"s","iss":"https://who.example","aud":"client","exp":1760000060}"#
        let identity = try IDToken.identity(
            in: Self.token(claims),
            issuer: nil,
            client: Self.client,
            nonce: nil,
            at: Self.now
        )
        #expect(identity == Self.someone)
    }

    @Test(
        "an ID token of another authorization request says nothing",
        arguments: [(#","nonce":"n""#, true), (#","nonce":"m""#, false), ("", false)]
    )
    func nonce(claim: String, isTaken: Bool) {
        let claims =
            #"{"sub":"s","iss":"https://as.example","aud":"client","exp":1760000060\#(claim)}"#
        let read = Result { () throws(IDToken.Flaw) in
            try IDToken.identity(
                in: Self.token(claims),
                issuer: Self.issuer,
                client: Self.client,
                nonce: Secret("n"),
                at: Self.now
            )
        }
        #expect(read == (isTaken ? .success(Self.someone) : .failure(.nonce)))
    }

    private static let someone: Identity = {
        guard let identity = Identity(subject: "s") else { preconditionFailure("a subject") }
        return identity
    }()

    @Test(arguments: ["", ".", "a.b.c", "e30.e30.", "e30.W10.x"])
    func whatIsNoTokenIsUnreadable(text: String) {
        #expect(throws: IDToken.Flaw.self) {
            try IDToken.identity(
                in: Secret(text),
                issuer: Self.issuer,
                client: Self.client,
                nonce: nil,
                at: Self.now
            )
        }
    }

    @Test(
        "userinfo that is no JSON, has no subject or comes with an error says nothing",
        arguments: [
            (200, #"{"sub":"s","email":"e"}"#, "s"), (200, #"{"email":"e"}"#, nil),
            (200, "eyJ.eyJ.x", nil), (401, #"{"sub":"s"}"#, nil), (200, #"{"sub":""}"#, nil),
            (200, #"{"sub":5}"#, nil),
        ] as [(Int, String, String?)]
    )
    func userInfo(status: Int, body: String, subject: String?) {
        let answer = HTTPResponse(status: status, body: Secret(body))
        #expect(UserInfo.identity(in: answer)?.subject == subject)
    }

    @Test func subjectsAndNamesAreBounded() {
        #expect(Identity(subject: String(repeating: "s", count: 1025)) == nil)
        let long = Identity(subject: "s", name: String(repeating: "n", count: 5000))
        #expect(long?.name?.count == 128)
        #expect(Identity(subject: "s", name: "\u{202e}\u{7}")?.name == nil)
    }
}
