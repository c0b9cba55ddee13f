import Testing
import VaultCrypto

@testable import VaultTesting

@Suite struct AuthorizationCodeTests {
    /// RFC 7636 appendix B.
    private static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    private static let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"

    private var ledger = Ledger(
        profile: .strict,
        mint: TokenMint(
            prefix: "test",
            salt: "s",
            format: .opaque,
            issuer: "http://127.0.0.1",
            lifetime: 100
        )
    )
    private let code: Secret

    init() {
        code = ledger.makeCode(
            for: CodeRequest(
                subject: "alice",
                client: "c",
                redirectURI: "http://127.0.0.1:1/cb",
                scope: "read",
                challenge: Self.challenge
            ),
            now: 0
        )
    }

    @Test func theChallengeIsThatOfTheRFC() {
        #expect(ProofKeyCheck.challenge(of: Self.verifier) == Self.challenge)
    }

    @Test func aCodeGivesOnePair() throws {
        var ledger = ledger
        let pair = try ledger.exchange(
            code,
            verifier: Self.verifier,
            redirectURI: "http://127.0.0.1:1/cb",
            client: "c",
            now: 1
        )
        #expect(pair.subject == "alice")
        #expect(pair.scope == "read")
        #expect(ledger.present(pair.accessToken, now: 1) == pair)
        #expect(throws: LedgerRefusal.invalidGrant) {
            try ledger.exchange(
                code,
                verifier: Self.verifier,
                redirectURI: "http://127.0.0.1:1/cb",
                client: "c",
                now: 2
            )
        }
        #expect(ledger.counters.codeReuseDetections == 1)
        #expect(ledger.present(pair.accessToken, now: 2) == nil)
    }

    @Test(
        "a code is refused with anything else than it was made for",
        arguments: [
            ("wrong", "http://127.0.0.1:1/cb", "c", 1.0),
            (verifier, "http://127.0.0.1:2/cb", "c", 1),
            (verifier, "http://127.0.0.1:1/cb", "d", 1),
            (verifier, "http://127.0.0.1:1/cb", "c", 60),
        ]
    )
    func refused(verifier: String, redirectURI: String, client: String, now: Double) {
        var ledger = ledger
        #expect(throws: LedgerRefusal.invalidGrant) {
            try ledger.exchange(
                code,
                verifier: verifier,
                redirectURI: redirectURI,
                client: client,
                now: now
            )
        }
        #expect(ledger.grantsAlive == 0)
    }
}
