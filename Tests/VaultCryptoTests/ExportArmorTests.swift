import Testing

@testable import VaultCrypto

@Suite struct ExportArmorTests {
    private static let envelope = ExportEnvelope(
        cost: ExportEnvelopeTests.cost,
        salt: [UInt8](repeating: 1, count: 16),
        commitment: [UInt8](repeating: 2, count: 32),
        nonce: [UInt8](repeating: 3, count: 24),
        box: [UInt8](repeating: 4, count: 528)
    )
    private static let text = String(decoding: ExportArmor.text(of: envelope), as: UTF8.self)

    private func read(_ text: String) throws(ExportError) -> ExportEnvelope {
        try ExportArmor.envelope(Array(text.utf8))
    }

    @Test func linesAreShortAndEnd() {
        let lines = Self.text.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.first == "-----BEGIN VAULT EXPORT-----")
        #expect(lines.suffix(2) == ["-----END VAULT EXPORT-----", ""])
        #expect(lines.allSatisfy { $0.count <= 64 })
    }

    @Test("what mail and editors do to it is put up with")
    func pasted() throws {
        let windows = Self.text.replacing("\n", with: "\r\n")
        for text in [
            Self.text, windows, "\n\n" + Self.text + "\n \t\n", String(Self.text.dropLast()),
        ] {
            #expect(try read(text) == Self.envelope)
            #expect(ExportArmor.isExport(Array(text.utf8)))
        }
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        let error: ExportError
        let text: String

        init(_ name: String, _ error: ExportError, _ change: (String) -> String) {
            self.name = name
            self.error = error
            text = change(ExportArmorTests.text)
        }

        var testDescription: String { name }
    }

    /// The export with other first bytes.
    private static func beginning(_ bytes: [UInt8]) -> String {
        armored(bytes + envelope.bytes.dropFirst(bytes.count))
    }

    private static func armored(_ bytes: [UInt8]) -> String {
        String(decoding: ExportArmor.text(bytes: bytes), as: UTF8.self)
    }

    /// K04.
    @Test(
        "what is no whole export is refused, and says why",
        arguments: [
            Row("empty", .notAnExport) { _ in "" },
            Row("other text", .notAnExport) { _ in "hello" },
            Row("a database", .notAnExport) { _ in "SQLite format 3\0" },
            Row("age", .notAnExport) { _ in "-----BEGIN AGE ENCRYPTED FILE-----\n" },
            Row("base64 alone", .notAnExport) { $0.split(separator: "\n")[1] + "\n" },
            Row("words before it", .notAnExport) { "Hello,\n" + $0 },
            Row("half the first line", .cutShort) { String($0.prefix(16)) },
            Row("the first line", .cutShort) { String($0.prefix(29)) },
            Row("half of it", .cutShort) { String($0.prefix($0.count / 2)) },
            Row("without the last line", .cutShort) { String($0.dropLast(27)) },
            Row("half the last line", .cutShort) { String($0.dropLast(10)) },
            Row("words behind it", .trailingBytes) { $0 + "sent from my phone\n" },
            Row("twice", .trailingBytes) { $0 + $0 },
            Row("nothing in it", .damaged) { $0.prefix(29) + "-----END VAULT EXPORT-----" },
            Row("a line is missing", .cutShort) { text in
                let lines = text.split(separator: "\n")
                return (lines.prefix(2) + lines.dropFirst(3)).joined(separator: "\n")
            },
            Row("an empty line", .damaged) {
                $0.replacing("EXPORT-----\nV", with: "EXPORT-----\n\nV")
            },
            Row("a blank in a line", .damaged) { $0.replacing("VkxU", with: "Vkx ") },
            Row("another alphabet", .damaged) { $0.replacing("VkxU", with: "Vk-U") },
            Row("stray bits", .damaged) { _ in
                armored(envelope.bytes + [UInt8](repeating: 0, count: 512))
                    .replacing("AAA=\n", with: "AAB=\n")
            },
            Row("another format's bytes", .notAnExport) { _ in beginning(Array("VLT1REC\0".utf8)) },
            Row("format 2", .newerFormat(2)) { _ in beginning(ExportEnvelope.magic + [2]) },
            Row("format 0", .damaged) { _ in beginning(ExportEnvelope.magic + [0]) },
            Row("another derivation", .damaged) { _ in beginning(ExportEnvelope.magic + [1, 2]) },
            Row("a flag", .damaged) { _ in beginning(ExportEnvelope.magic + [1, 1, 0, 1]) },
            Row("too few bytes", .cutShort) { _ in armored(Array(envelope.bytes.dropLast())) },
            Row("a newer one of few bytes", .newerFormat(9)) { _ in
                armored(ExportEnvelope.magic + [9])
            },
            Row("one byte more", .damaged) { _ in armored(envelope.bytes + [0]) },
        ]
    )
    func refused(row: Row) {
        #expect(throws: row.error) { try read(row.text) }
    }

    @Test func everyTruncationIsRefused() {
        for count in 0..<Self.text.count - 1 {
            #expect(throws: ExportError.self) { try read(String(Self.text.prefix(count))) }
        }
    }

    @Test func whatIsTooLargeIsNotLookedAt() {
        let text = [UInt8](repeating: 0x20, count: ExportEnvelope.sizeLimit + 1)
        #expect(throws: ExportError.tooLarge) { try ExportArmor.envelope(text) }
    }
}
