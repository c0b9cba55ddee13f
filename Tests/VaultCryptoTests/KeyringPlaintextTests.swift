import Testing

@testable import VaultCrypto

@Suite struct KeyringPlaintextTests {
    @Test(arguments: try Vectors.load().keyring)
    func encodingIsTheVectorBothWays(_ vector: Vectors.Ring) throws {
        #expect(vector.contents.encoded().exposed == vector.plaintext)
        let decoded = try KeyringPlaintext(decoding: Secret(bytes: vector.plaintext))
        #expect(decoded == vector.contents)
        #expect(decoded.isRotating == (vector.flags == 1))
        #expect(decoded.activeEpoch == vector.activeEpoch)
    }

    struct Malformed: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let bytes: [UInt8]

        init(_ words: String, _ header: [UInt8], epochs: [UInt8] = [], extra: [UInt8] = []) {
            testDescription = words
            let key = [UInt8](repeating: 0xdd, count: 32)
            bytes = header + epochs.flatMap { [0, 0, 0, $0] + key } + extra
        }
    }

    @Test(
        arguments: [
            Malformed("empty", []),
            Malformed("half a header", [1, 0, 0, 0, 0, 1, 0]),
            Malformed("version 0", [0, 0, 0, 0, 0, 1, 0, 1], epochs: [1]),
            Malformed("version 2", [2, 0, 0, 0, 0, 1, 0, 1], epochs: [1]),
            Malformed("version 3", [3, 0, 0, 0, 0, 1, 0, 1], epochs: [1], extra: [0, 0]),
            Malformed(
                "version 2 with half a count",
                [2, 0, 0, 0, 0, 1, 0, 1],
                epochs: [1],
                extra: [0]
            ),
            Malformed(
                "version 2 with nothing to carry",
                [2, 0, 0, 0, 0, 1, 0, 1],
                epochs: [1],
                extra: [0, 0]
            ),
            Malformed(
                "version 2 with less than it counts",
                [2, 0, 0, 0, 0, 1, 0, 1],
                epochs: [1],
                extra: [0, 2] + [UInt8](repeating: 9, count: 32)
            ),
            Malformed(
                "version 2 with more than it counts",
                [2, 0, 0, 0, 0, 1, 0, 1],
                epochs: [1],
                extra: [0, 1] + [UInt8](repeating: 9, count: 33)
            ),
            Malformed(
                "version 2 with more than is kept",
                [2, 0, 0, 0, 0, 1, 0, 1],
                epochs: [1],
                extra: [0, 9] + [UInt8](repeating: 9, count: 9 * 32)
            ),
            Malformed(
                "version 1 with earlier keys",
                [1, 0, 0, 0, 0, 1, 0, 1],
                epochs: [1],
                extra: [0, 1] + [UInt8](repeating: 9, count: 32)
            ),
            Malformed("unknown flag", [1, 2, 0, 0, 0, 1, 0, 1], epochs: [1]),
            Malformed("unknown flag beside a known one", [1, 3, 0, 0, 0, 1, 0, 1], epochs: [1]),
            Malformed("every flag", [1, 255, 0, 0, 0, 1, 0, 1], epochs: [1]),
            Malformed("no entries", [1, 0, 0, 0, 0, 1, 0, 0]),
            Malformed("fewer entries than counted", [1, 0, 0, 0, 0, 1, 0, 2], epochs: [1]),
            Malformed("more entries than counted", [1, 0, 0, 0, 0, 1, 0, 1], epochs: [1, 2]),
            Malformed("the largest count", [1, 0, 0, 0, 0, 1, 255, 255], epochs: [1]),
            Malformed("one byte more", [1, 0, 0, 0, 0, 1, 0, 1], epochs: [1], extra: [0]),
            Malformed("half an entry", [1, 0, 0, 0, 0, 1, 0, 1], extra: [0, 0, 0, 1, 9, 9]),
            Malformed("an epoch twice", [1, 0, 0, 0, 0, 1, 0, 2], epochs: [1, 1]),
            Malformed("active epoch missing", [1, 0, 0, 0, 0, 3, 0, 2], epochs: [1, 2]),
            Malformed("active epoch zero", [1, 0, 0, 0, 0, 0, 0, 1], epochs: [1]),
        ]
    )
    func malformedContentsAreRefused(_ row: Malformed) {
        #expect(throws: SealingError()) {
            try KeyringPlaintext(decoding: Secret(bytes: row.bytes))
        }
    }

    @Test(arguments: [1, 2, 8])
    func earlierKeysAreCarriedInVersionTwo(_ count: Int) throws {
        let contents = KeyringPlaintext(
            isRotating: true,
            activeEpoch: 2,
            entries: [.fresh(epoch: 1), .fresh(epoch: 2)],
            earlierSpentKeys: (0..<count).map { index in
                Secret(bytes: [UInt8](repeating: UInt8(index), count: 32))
            }
        )
        let bytes = contents.encoded().exposed
        #expect(bytes.count == 8 + 2 * 36 + 2 + count * 32)
        #expect(bytes.prefix(8) == [2, 1, 0, 0, 0, 2, 0, 2])
        #expect(bytes[80..<82] == [0, UInt8(count)])
        #expect(bytes.suffix(32) == [UInt8](repeating: UInt8(count - 1), count: 32)[...])
        #expect(try KeyringPlaintext(decoding: Secret(bytes: bytes)) == contents)
    }

    @Test func aMalformedKeyringDoesNotOpenThoughItsSealIsRight() {
        let root = Fixture.rootKey()
        let empty = KeyringPlaintext(isRotating: false, activeEpoch: 1, entries: [])
        let sealed = Keyring.seal(empty, version: 1, rootKey: root, vaultID: Fixture.vault)
        #expect(throws: SealingError()) {
            try Keyring.open(
                record: sealed.nonce + sealed.box,
                version: 1,
                rootKey: root,
                vaultID: Fixture.vault
            )
        }
    }

    @Test func everyTruncationOfTheContentsIsRefused() throws {
        let bytes = try #require(try Vectors.load().keyring.last).plaintext
        for count in bytes.indices {
            #expect(throws: SealingError()) {
                try KeyringPlaintext(decoding: Secret(bytes: Array(bytes.prefix(count))))
            }
        }
    }
}

extension Vectors.Ring: CustomTestStringConvertible {
    var testDescription: String { "version \(version)" }

    var contents: KeyringPlaintext {
        KeyringPlaintext(
            isRotating: flags == 1,
            activeEpoch: activeEpoch,
            entries: entries.map { .init(epoch: $0.epoch, dataKey: Secret(bytes: $0.dataKey)) }
        )
    }
}
