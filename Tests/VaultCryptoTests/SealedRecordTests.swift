import Testing

@testable import VaultCrypto

@Suite struct SealedRecordTests {
    @Test(arguments: try Vectors.load().records)
    func contextKeyAndBoxAreTheVector(_ vector: Vectors.Record) throws {
        #expect(vector.fmt == RecordContext.format)
        let context = try vector.context().array
        #expect(context == vector.ctx)
        #expect(context.count == 56)
        #expect(KeyDerivation.hash(context.span, key: vector.recordsKey) == vector.recordKey)

        let sealed = vector.seal()
        #expect(sealed.nonce == vector.nonce)
        #expect(sealed.box.count == vector.boxLen)
        #expect(sealed.box.count == vector.paddedLen + KeyLength.authenticator)
        if vector.box.hasPrefix(Self.digestPrefix) {
            let digest = Hex.bytes(of: vector.box.dropFirst(Self.digestPrefix.count))
            #expect(Reference.blake2b256(sealed.box) == digest)
        } else {
            #expect(sealed.box == Hex.bytes(of: vector.box))
        }
        #expect(try sealed.open(key: vector.recordKey).exposed == vector.plaintext)
    }

    @Test(arguments: try Vectors.load().records)
    func everyChangeOfBoxAndNonceIsRefused(_ vector: Vectors.Record) {
        let sealed = vector.seal()
        let boxes = Tampering.accepted(of: sealed.box) { box in
            opens(SealedRecord(nonce: sealed.nonce, box: box), key: vector.recordKey)
        }
        #expect(boxes == [])
        let nonces = Tampering.accepted(of: sealed.nonce) { nonce in
            opens(SealedRecord(nonce: nonce, box: sealed.box), key: vector.recordKey)
        }
        #expect(nonces == [])
        let keys = Tampering.accepted(of: vector.recordKey) { key in
            key.count == KeyLength.key && opens(sealed, key: key)
        }
        #expect(keys == [])
    }

    @Test(arguments: try Vectors.load().negatives.cases)
    func onlyThePositiveControlOpens(_ negative: Vectors.Negatives.Case) throws {
        let records = try Vectors.load().records
        let record = try #require(records.first { $0.name == "token set" })
        let other = try #require(records.first { $0.dek != record.dek })
        let recordsKey = negative.name == "other DEK" ? other.recordsKey : record.recordsKey
        var nonce = record.nonce
        if negative.name == "nonce bit flip" { nonce[0] ^= 1 }
        let sealed = SealedRecord(nonce: nonce, box: record.seal().box)
        let key = KeyDerivation.hash(negative.ctx.span, key: recordsKey)
        #expect(opens(sealed, key: key) == negative.opens)
        #expect(negative.opens == (negative.name == "POSITIVE control"))
    }

    @Test(arguments: [
        (0, 512), (1, 512), (510, 512), (511, 512), (512, 1024), (1023, 1024), (1024, 1536),
        (70_000, 70_144),
    ])
    func lengthIsHiddenInBlocksOf512(_ count: Int, _ padded: Int) throws {
        let key = Randomness.bytes(count: 32)
        let plaintext = [UInt8](repeating: 0x80, count: count)
        let sealed = SealedRecord.seal(plaintext.span, key: key)
        #expect(sealed.box.count == padded + KeyLength.authenticator)
        #expect(try sealed.open(key: key).exposed == plaintext)
    }

    @Test("what was sealed by libsodium opens, whatever its length")
    func opensLikeTheSecretbox() throws {
        let key = Randomness.bytes(count: 32)
        for count in 0..<1100 {
            let plaintext = Randomness.bytes(count: count)
            let sealed = SealedRecord.seal(plaintext.span, key: key)
            #expect(try sealed.open(key: key).exposed == plaintext)
        }
    }

    @Test func noncesDoNotRepeat() {
        let key = Randomness.bytes(count: 32)
        let plaintext: [UInt8] = [1]
        let nonces = (0..<100).map { _ in SealedRecord.seal(plaintext.span, key: key).nonce }
        #expect(Set(nonces).count == nonces.count)
    }

    private static let digestPrefix = "blake2b256:"

    private func opens(_ sealed: SealedRecord, key: [UInt8]) -> Bool {
        (try? sealed.open(key: key)) != nil
    }
}

extension Vectors.Negatives.Case: CustomTestStringConvertible {
    var testDescription: String { name }
}

extension Vectors.Record: CustomTestStringConvertible {
    var testDescription: String { name }

    /// The key that this record's data key gives for records.
    fileprivate var recordsKey: [UInt8] {
        var output = [UInt8](repeating: 0, count: KeyLength.key)
        KeyDerivation.subkey(1, "vltrec01", of: dek, into: &output)
        return output
    }

    fileprivate func seal() -> SealedRecord {
        SealedRecord.seal(plaintext.span, key: recordKey, nonce: nonce)
    }

    fileprivate func context() throws -> RecordContext {
        RecordContext(
            kind: try #require(RecordKind(rawValue: kind)),
            epoch: epoch,
            vaultID: try #require(VaultID(vaultId)),
            accountID: try #require(AccountID(accountId)),
            generation: try #require(UInt64(generation))
        )
    }
}
