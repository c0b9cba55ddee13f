import Testing
import VaultCrypto

@testable import VaultStore

@Suite struct RecoveryKeyTests {
    private static func key(_ byte: UInt8) -> SecretBytes {
        SecretBytes(copying: Secret(bytes: [UInt8](repeating: byte, count: KeyLength.key)))
    }

    private static func text(_ byte: UInt8) -> String {
        RecoveryKey.text(of: key(byte)).reveal { $0 }
    }

    private static func bytes(of text: String) throws -> [UInt8] {
        try RecoveryKey.secret(from: Secret(text)).withSpan { span in
            span.indices.map { span[$0] }
        }
    }

    @Test func isShownInGroupsOfFour() {
        let groups = Self.text(0).split(separator: "-")
        #expect(groups.count == 14)
        #expect(groups.dropLast().allSatisfy { $0 == "0000" })
        #expect(groups.last?.count == 2)
    }

    @Test(arguments: [0x00, 0x01, 0x55, 0x80, 0xaa, 0xff] as [UInt8])
    func comesBackFromItsText(_ byte: UInt8) throws {
        let text = Self.text(byte)
        let key = [UInt8](repeating: byte, count: KeyLength.key)
        #expect(try Self.bytes(of: text) == key)
        #expect(try Self.bytes(of: text.lowercased()) == key)
        #expect(try Self.bytes(of: text.replacing("-", with: "")) == key)
        #expect(try Self.bytes(of: text.replacing("-", with: " ")) == key)
        #expect(try Self.bytes(of: text.replacing("0", with: "O")) == key)
        #expect(try Self.bytes(of: text.replacing("1", with: "l")) == key)
    }

    @Test(
        arguments: [
            "", "-", "0000", String(repeating: "0", count: 54), String(repeating: "0", count: 55),
            "U", "ä", "correct horse battery staple",
        ]
    )
    func otherTextIsNone(_ text: String) {
        #expect(throws: StoreError.locked(.recoveryKeyMalformed)) { try Self.bytes(of: text) }
    }

    @Test func aMistypedDigitIsToldFromAWrongKey() throws {
        let text = Array(Self.text(0x5a))
        var noticed = 0
        for index in text.indices where text[index] != "-" {
            var mistyped = text
            mistyped[index] = text[index] == "7" ? "8" : "7"
            let result = Result { try Self.bytes(of: String(mistyped)) }
            if case .failure = result { noticed += 1 }
        }
        // Ten bits check it: one in a thousand goes unnoticed, of 54 none or one.
        #expect(noticed >= 53)
    }
}
