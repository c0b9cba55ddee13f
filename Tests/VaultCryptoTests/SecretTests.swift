import Testing

@testable import VaultCrypto

@Suite struct SecretTests {
    private static let canary = "canary-7f3a"

    struct Holder: Sendable {
        let secret = Secret(SecretTests.canary)
        let optional: Secret? = Secret(SecretTests.canary)
        let list = [Secret(SecretTests.canary)]
        let table = [Secret(SecretTests.canary): Secret(SecretTests.canary)]
    }

    enum Failure: Error {
        case rejected(Secret)
    }

    @Test func nothingThatPrintsShowsIt() throws {
        let keyring = try Fixture.keyring([(1, Array(Self.canary.utf8) + .init(0..<21))], active: 1)
        let entry = KeyringPlaintext.Entry(epoch: 1, dataKey: Secret(Self.canary))
        let values: [Any] = [
            Secret(Self.canary), Holder(), Failure.rejected(Secret(Self.canary)), entry, keyring,
            (Secret(Self.canary), 1),
        ]
        for value in values {
            let text = Self.everyRendering(of: value)
            #expect(!text.contains("canary"), "\(type(of: value))")
            #expect(!text.contains("7f3a"), "\(type(of: value))")
            // The letters as numbers, as an array of bytes would print.
            #expect(!text.contains("99, 97"), "\(type(of: value))")
        }
    }

    @Test func itSaysThatItIsThere() {
        let secret = Secret(Self.canary)
        #expect(secret.description == "<redacted>")
        #expect(secret.debugDescription == "<redacted>")
        #expect("\(secret)" == "<redacted>")
        #expect(Mirror(reflecting: secret).children.isEmpty)
    }

    @Test func itLendsWhatWentIn() {
        let bytes: [UInt8] = [0, 255, 128, 10]
        #expect(Secret(bytes: bytes).exposed == bytes)
        #expect(Secret(copying: bytes.span).exposed == bytes)
        #expect(Secret("pässwörd").reveal { $0 == "pässwörd" })
        #expect(Secret("pässwörd").count == 10)
        #expect(Secret(bytes: [0x61, 0xff]).reveal { $0 == "a\u{fffd}" })
    }

    @Test func lendingPassesTheErrorOn() {
        let secret = Secret(Self.canary)
        #expect(throws: SealingError()) {
            try secret.withBytes { _ throws(SealingError) in throw SealingError() }
        }
        #expect(throws: SealingError()) {
            try secret.reveal { _ throws(SealingError) in throw SealingError() }
        }
    }

    @Test func equalityIsThatOfTheBytes() {
        #expect(Secret("ab") == Secret(bytes: [0x61, 0x62]))
        #expect(Secret("ab") != Secret("aB"))
        #expect(Secret("ab") != Secret("abc"))
        #expect(Secret("ab") != Secret(""))
        #expect(Secret("ab") != Secret("ab\0"))
        // One text, two encodings: String calls them equal.
        #expect(Secret("\u{e9}") != Secret("e\u{301}"))
    }

    @Test func equalSecretsHashEqually() {
        #expect(Secret("ab").hashValue == Secret(bytes: [0x61, 0x62]).hashValue)
        let set: Set = [Secret("ab"), Secret(bytes: [0x61, 0x62]), Secret("abc"), Secret("")]
        #expect(set.count == 3)
    }

    @Test func anEmptySecretIsLikeEveryOther() {
        let empty = Secret("")
        #expect(empty.isEmpty)
        #expect(empty.count == 0)
        #expect(empty == Secret(bytes: []))
        #expect(empty.hashValue == Secret(bytes: []).hashValue)
        #expect(empty.reveal { $0.isEmpty })
        #expect(empty.exposed == [])
        #expect(!Secret("a").isEmpty)
    }

    @Test func wipingEmptiesTheSource() {
        var bytes = Array(Self.canary.utf8)
        let secret = Secret(wiping: &bytes)
        #expect(bytes == [])
        #expect(secret == Secret(Self.canary))
        var nothing: [UInt8] = []
        #expect(Secret(wiping: &nothing).isEmpty)
        #expect(nothing == [])
    }

    @Test func copiesOutliveTheOriginal() {
        var original: Secret? = Secret(Self.canary)
        let copy = original
        original = nil
        #expect(copy == Secret(Self.canary))
    }

    private static func everyRendering(of value: Any) -> String {
        var text = ""
        print(value, to: &text)
        debugPrint(value, to: &text)
        dump(value, to: &text)
        text += String(describing: value) + String(reflecting: value) + "\(value)"
        text += Mirror(reflecting: value).children.map { "\($0)" }.joined()
        return text
    }
}
