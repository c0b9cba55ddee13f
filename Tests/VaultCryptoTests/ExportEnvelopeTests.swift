internal import FoundationEssentials
import Testing

@testable import VaultCrypto

/// An export made by a program that shares no code with ours.
struct ExportVector: Decodable, Sendable, CustomTestStringConvertible {
    let name: String
    let passes: UInt32
    let memory: UInt64
    let text: String
    @Hex var passphrase: [UInt8]
    @Hex var content: [UInt8]
    @Hex var salt: [UInt8]
    @Hex var nonce: [UInt8]
    @Hex var header: [UInt8]
    @Hex var secret: [UInt8]
    @Hex var commitment: [UInt8]
    @Hex var key: [UInt8]

    var testDescription: String { name }
    var cost: PassphraseCost { PassphraseCost(passes: passes, memory: memory) }

    static func load(from file: String = #filePath) throws -> [ExportVector] {
        let path = URL(fileURLWithPath: file).deletingLastPathComponent()
            .appending(path: "Fixtures/export.json")
        return try JSONDecoder().decode([ExportVector].self, from: Data(contentsOf: path))
    }
}

@Suite struct ExportEnvelopeTests {
    static let cost = PassphraseCost(passes: 1, memory: 8 << 20)

    @Test(arguments: try ExportVector.load())
    func everyByteIsTheVector(_ vector: ExportVector) throws {
        let envelope = try ExportEnvelope.seal(
            Secret(bytes: vector.content),
            under: SecretBytes(copying: vector.passphrase.span),
            cost: vector.cost,
            salt: vector.salt,
            nonce: vector.nonce
        )
        #expect(ExportEnvelope.header(cost: vector.cost, salt: vector.salt) == vector.header)
        #expect(vector.header.count == ExportEnvelope.headerCount)
        #expect(envelope.commitment == vector.commitment)
        let opened = Reference.openBox(envelope.box, nonce: vector.nonce, key: vector.key)
        #expect(opened?.starts(with: vector.content) == true)
        #expect(String(decoding: ExportArmor.text(of: envelope), as: UTF8.self) == vector.text)
        let read = try ExportArmor.envelope(Array(vector.text.utf8))
        #expect(read == envelope)
        let passphrase = SecretBytes(copying: vector.passphrase.span)
        #expect(try read.open(with: passphrase).exposed == vector.content)
    }

    /// K01.
    @Test func theSamePassphraseMakesAnotherFileEachTime() throws {
        let content = Secret("content")
        let first = try envelope(content, "passphrase")
        let second = try envelope(content, "passphrase")
        #expect(first.salt != second.salt)
        #expect(first.nonce != second.nonce)
        #expect(first.commitment != second.commitment)
        #expect(first.box != second.box)
        for export in [first, second] { #expect(try open(export, "passphrase") == content) }
    }

    /// K01.
    @Test(arguments: ["", "Passphrase", "passphras", "passphrase ", "passphrase\n"])
    func onlyItsPassphraseOpensIt(_ other: String) throws {
        let export = try envelope(Secret("content"), "passphrase")
        #expect(throws: ExportError.wrongPassphrase) { try open(export, other) }
    }

    /// Both keys open the box, and neither opens the export.
    @Test func anExportMadeForTwoKeysOpensWithNeither() throws {
        let vector = try Vectors.load().keyCollision
        let made = try envelope(Secret("content"), "passphrase")
        for key in [vector.keyA, vector.keyB] {
            let export = ExportEnvelope(
                cost: made.cost,
                salt: made.salt,
                commitment: key,
                nonce: vector.nonce,
                box: vector.box
            )
            #expect(throws: ExportError.wrongPassphrase) { try open(export, "passphrase") }
        }
    }

    @Test func everyBitCounts() throws {
        // Without the derivation, which is the same for what leaves the header as it is.
        let original = try envelope(Secret("content"), "passphrase").bytes
        let headerCount = ExportEnvelope.headerCount
        let rest = Tampering.accepted(of: Array(original[headerCount...])) { changed in
            let bytes = original[..<headerCount] + changed
            guard let export = try? ExportEnvelope(bytes: Array(bytes)) else { return false }
            return export.commitment == Array(original[headerCount..<headerCount + 32])
                && export.nonce == Array(original[headerCount + 32..<headerCount + 56])
                && export.box == Array(original[(headerCount + 56)...])
        }
        #expect(rest == [])
        for index in original.indices where index < headerCount || index.isMultiple(of: 13) {
            var changed = original
            changed[index] ^= 1
            #expect(throws: ExportError.self, "byte \(index)") {
                try open(ExportEnvelope(bytes: changed), "passphrase")
            }
        }
    }

    struct CostRow: Sendable {
        let passes: UInt32
        let memory: UInt64
    }

    /// Compared before anything is derived: each of these would run for minutes, or take the memory.
    @Test(arguments: [
        CostRow(passes: 0, memory: 8 << 20), CostRow(passes: 17, memory: 8 << 20),
        CostRow(passes: .max, memory: 8 << 20), CostRow(passes: 1, memory: 0),
        CostRow(passes: 1, memory: 2 << 30 + 1), CostRow(passes: 1, memory: .max),
    ])
    func hugeCostsAreRefused(_ row: CostRow) throws {
        let made = try envelope(Secret("content"), "passphrase")
        let export = ExportEnvelope(
            cost: PassphraseCost(passes: row.passes, memory: row.memory),
            salt: made.salt,
            commitment: made.commitment,
            nonce: made.nonce,
            box: made.box
        )
        let read = try ExportArmor.envelope(ExportArmor.text(of: export))
        #expect(throws: ExportError.costOutOfRange) { try open(read, "passphrase") }
    }

    @Test func noLabelIsThatOfAnother() throws {
        let labels = [
            "VLT1REC\0", "VLT1SLOT", "VLT1CMT\0", "VLT1KEK\0", "VLT1CHK\0", "VLT1SPT\0",
            "VLT1SEL\0", "VLT1RCV\0", "VLT1EXP\0", "VLT1XCM\0", "VLT1XKE\0",
        ]
        #expect(Set(labels).count == labels.count)
        #expect(labels.allSatisfy { $0.utf8.count == 8 })
    }

    @Test func whatIsTooLargeIsRefused() {
        let content = Secret(bytes: [UInt8](repeating: 0, count: ExportEnvelope.contentLimit + 1))
        #expect(throws: ExportError.tooLarge) { try envelope(content, "passphrase") }
    }

    private func envelope(
        _ content: Secret,
        _ passphrase: String
    ) throws(ExportError) -> ExportEnvelope {
        try .seal(
            content,
            under: SecretBytes(copying: Secret(passphrase)),
            cost: Self.cost
        )
    }

    private func open(
        _ export: ExportEnvelope,
        _ passphrase: String
    ) throws(ExportError) -> Secret {
        try export.open(with: SecretBytes(copying: Secret(passphrase)))
    }
}
