import FoundationEssentials
import OAuth
import Platform
import Testing
import VaultCrypto

@testable import VaultStore

/// The quick way through a record reads what the strict reader reads, or nothing.
@Suite struct UsualRecordTests {
    private static let tokens: [TokenSet] = {
        var counted = Fixture.tokens("counted")
        counted.timesKept = 2
        counted.accessTokens[0].generation = 7
        counted.accessTokens[0].grantedScope = Scope(["mail", "openid"])
        var bare = Fixture.tokens("bare")
        bare.refreshToken = nil
        bare.accessTokens[0].lifetime = nil
        var rotated = counted
        rotated.previous = PreviousRefreshToken(
            value: Secret("before"),
            until: Date(timeIntervalSince1970: 1_700_000_000.25)
        )
        return [Fixture.tokens("usual"), counted, bare, rotated]
    }()

    private static let settings: [AccountSettings] = {
        var known = Fixture.settings("known")
        known.client = Client(
            id: ClientID(rawValue: "clïent"),
            secret: Secret("a secret"),
            authentication: .clientSecretBasic
        )
        known.authorizationEndpoint = EndpointURL(unchecked: "https://issuer.example/authorize")
        known.issuer = "https://issuer.example"
        known.redirectURI = "http://127.0.0.1:7777/back"
        known.requestedScope = Scope(["openid", "mail"])
        known.refresh.provider = "github"
        known.revocationEndpoint = EndpointURL(unchecked: "https://issuer.example/revoke")
        known.userinfoEndpoint = EndpointURL(unchecked: "https://issuer.example/me")
        known.identity = Identity(subject: "4711", name: "me@issuer.example")
        return [Fixture.settings("usual"), known]
    }()

    @Test("what most accounts have is read in one pass", arguments: tokens)
    func usualTokens(tokens: TokenSet) throws {
        let text = TokenRecord.encode(tokens)
        #expect(Self.quickTokens(text) == tokens)
        #expect(try TokenRecord.tokens(SealedJSON(decoding: text)) == tokens)
    }

    @Test("what most accounts are is read in one pass", arguments: settings)
    func usualSettings(settings: AccountSettings) throws {
        let text = AccountRecord.encode(settings)
        #expect(Self.quickSettings(text) == settings)
        #expect(try AccountRecord.settings(SealedJSON(decoding: text)) == settings)
    }

    @Test("a record with a number that is not finite is neither written nor read")
    func notFinite() async throws {
        await #expect(processExitsWith: .failure) {
            _ = SealedJSON(["lifetime": .number(Double.infinity)])
        }
        for digits in ["1e999", String(repeating: "9", count: 400)] {
            let record = SealedJSON(["lifetime": .number(digits)])
            #expect(throws: SealingError.self) { try record.number("lifetime") }
            let whole = TokenRecord.encode(Fixture.tokens("usual")).reveal { $0 }
            let spoilt = whole.replacing("\"lifetime\":3600.0", with: "\"lifetime\":\(digits)")
            #expect(spoilt != whole)
            #expect(throws: SealingError.self) { try TokenRecord.decode(Secret(spoilt)) }
        }
    }

    @Test("what is handed out is read without the rest, unless the refresh token was spent")
    func tokenAtHand() throws {
        for tokens in Self.tokens + [Fixture.fullAccount("full").tokens] {
            let record = TokenRecord.encode(tokens)
            let isForPerson = tokens.signInNeeded != nil || tokens.hold != nil
            var lent: [Secret] = []
            let found = try TokenRecord.accessToken(for: nil, in: record) { token in
                lent.append(Secret(copying: token))
                return false
            }
            #expect(found == (isForPerson ? nil : tokens.defaultToken))
            #expect(lent == (isForPerson ? [] : [tokens.refreshToken].compactMap { $0 }))
            let spent = try TokenRecord.accessToken(for: nil, in: record) { _ in true }
            #expect(spent == (lent.isEmpty ? found : nil))
        }
    }

    @Test("a token for a person to look after is not at hand, nor one that nobody has")
    func noTokenAtHand() throws {
        var tokens = Fixture.tokens("held")
        let request = AccessTokenRequest(scope: Scope(["mail"]), resource: nil)
        let other = try TokenRecord.accessToken(for: request, in: TokenRecord.encode(tokens)) { _ in
            false
        }
        #expect(other == nil)
        tokens.hold = Hold(reason: .moved, since: Date(timeIntervalSince1970: 0))
        let held = try TokenRecord.accessToken(for: nil, in: TokenRecord.encode(tokens)) { _ in
            false
        }
        #expect(held == nil)
    }

    @Test("a record is that of its own name alone")
    func nameOfARecord() throws {
        for settings in Self.settings + [Fixture.fullAccount("full").settings] {
            let record = AccountRecord.encode(settings)
            #expect(try AccountRecord.isName(settings.name, in: record))
            #expect(try !AccountRecord.isName("another", in: record))
        }
    }

    @Test func everythingElseIsLeftToTheStrictReader() throws {
        let account = Fixture.fullAccount("full")
        let tokens = TokenRecord.encode(account.tokens)
        let settings = AccountRecord.encode(account.settings)
        #expect(Self.quickTokens(tokens) == nil)
        #expect(Self.quickSettings(settings) == nil)
        #expect(try TokenRecord.decode(tokens) == account.tokens)
        #expect(try AccountRecord.decode(settings) == account.settings)
    }

    @Test("no change of a text has the two read different things", arguments: 0..<5)
    func mutations(seed: UInt64) {
        var random = SplitMix(state: seed)
        for _ in 0..<400 {
            for tokens in Self.tokens {
                let text = Self.mutated(TokenRecord.encode(tokens), &random)
                let atHand = text.withBytes { try? UsualRecord.accessToken($0).accessToken }
                #expect(atHand == nil || atHand == (try? TokenRecord.decode(text).defaultToken))
                guard let quick = Self.quickTokens(text) else { continue }
                #expect(quick == (try? TokenRecord.tokens(SealedJSON(decoding: text))))
            }
            for settings in Self.settings {
                let text = Self.mutated(AccountRecord.encode(settings), &random)
                guard let quick = Self.quickSettings(text) else { continue }
                #expect(quick == (try? AccountRecord.settings(SealedJSON(decoding: text))))
            }
        }
    }

    @Test("a number is read as the one that is nearest", arguments: 0..<5)
    func numbers(seed: UInt64) {
        var random = SplitMix(state: seed)
        for _ in 0..<2000 {
            let number = Double.random(in: 1..<2, using: &random)
            for scale in [1, 60, 3600, 1e6, 2e9, 1e13] {
                #expect(Self.quickNumber("\(number * scale)") == number * scale)
            }
            // Half way between two, or very near to that.
            let half = "\(UInt64(number * 0x1p52)).5"
            for digits in [half, half + "0", half + "00001", half.dropLast() + "4999999"] {
                #expect(Self.quickNumber(digits) == Double(digits))
            }
        }
    }

    @Test(
        "a number with too many digits, or too few, is left to the strict reader",
        arguments: [
            "0", "1", "0.0", "10", "3600.0", "9999999999999999999", "18446744073709551615",
            "1.0000000000000000001", "1.00000000000000000001",
            "9007199254740993.0000000000000000001",
            "0.5", "01", "00", "1.", ".5", "", "-1", "1e5", "1.5e5", "123456789012345678901",
        ]
    )
    func numberForms(digits: String) {
        let quick = Self.quickNumber(digits)
        let isPlain = digits.allSatisfy { $0.isNumber || $0 == "." }
        #expect(quick == nil || isPlain && quick == Double(digits))
        let usual = [
            "0", "1", "0.0", "10", "3600.0", "9999999999999999999", "1.0000000000000000001",
        ]
        #expect(quick != nil || !usual.contains(digits))
    }

    private static func quickNumber(_ digits: some StringProtocol) -> Double? {
        try? Secret("{\"n\":\(digits)}").withBytes { text throws(UsualRecord.Unusual) in
            var scanner = TextScanner()
            try scanner.begin("{", text)
            let number = try scanner.number("n", text)
            try scanner.end("}", text)
            return number
        }
    }

    private static func quickTokens(_ text: Secret) -> TokenSet? {
        try? text.withBytes { bytes throws(UsualRecord.Unusual) in try UsualRecord.tokens(bytes) }
    }

    private static func quickSettings(_ text: Secret) -> AccountSettings? {
        try? text.withBytes { bytes throws(UsualRecord.Unusual) in try UsualRecord.settings(bytes) }
    }

    /// A text with one to three bytes put in, taken out or put in the place of others.
    private static func mutated(_ text: Secret, _ random: inout SplitMix) -> Secret {
        var bytes = text.withBytes { span in span.indices.map { span[$0] } }
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            let byte = Array("\"\\{}[],:0123456789.-+eE nulltrue\u{1}\u{e9}".utf8)
                .randomElement(using: &random)
            let index = Int.random(in: 0..<bytes.count, using: &random)
            switch Int.random(in: 0..<3, using: &random) {
            case 0: bytes[index] = byte ?? 0
            case 1: bytes.insert(byte ?? 0, at: index)
            default: bytes.remove(at: index)
            }
        }
        return Secret(bytes: bytes)
    }
}

/// Numbers that are the same in every run (Steele et al., 2014).
private struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = (state ^ state >> 30) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
        return mixed ^ mixed >> 31
    }
}
