import Testing

@testable import VaultCrypto

/// Records under a keyring.
@Suite struct KeyringTests {
    private static let firstKey = [UInt8](0..<32)
    private static let secondKey = [UInt8](100..<132)
    private let keyring: Keyring

    init() throws {
        keyring = try Fixture.keyring([(1, Self.firstKey)], active: 1)
    }

    @Test(arguments: try Vectors.load().records)
    func storedVectorsOpen(_ vector: Vectors.Record) throws {
        let keyring = try Fixture.keyring([(vector.epoch, vector.dek)], active: vector.epoch)
        let sealed = SealedRecord.seal(
            vector.plaintext.span,
            key: vector.recordKey,
            nonce: vector.nonce
        )
        var record: [UInt8] = []
        record.append(bigEndian: vector.epoch)
        let opened = try keyring.open(
            record + sealed.nonce + sealed.box,
            kind: try #require(RecordKind(rawValue: vector.kind)),
            account: try #require(AccountID(vector.accountId)),
            generation: try #require(UInt64(vector.generation))
        )
        #expect(opened.exposed == vector.plaintext)
    }

    @Test(arguments: RecordKind.allCases)
    func aRecordOpensOnlyInItsPlace(_ kind: RecordKind) throws {
        let sealed = keyring.seal(
            Secret("r-0001"),
            kind: kind,
            account: Fixture.account,
            generation: 7
        )
        #expect(sealed.prefix(4) == [0, 0, 0, 1])
        #expect(opens(sealed, kind) == Secret("r-0001"))
        for other in RecordKind.allCases where other != kind {
            #expect(opens(sealed, other) == nil)
        }
        #expect(opens(sealed, kind, account: Fixture.otherAccount) == nil)
        for generation: UInt64 in [0, 6, 8, 7 << 8, 7 + 1 << 32, .max] {
            #expect(opens(sealed, kind, generation: generation) == nil)
        }
    }

    @Test func aRecordOpensUnderNoOtherVaultRootOrDataKey() throws {
        let sealed = seal("r-0001")
        let sameKeyOtherVault = try Fixture.keyring(
            [(1, Self.firstKey)],
            active: 1,
            vault: Fixture.otherVault
        )
        let otherKey = try Fixture.keyring([(1, Self.secondKey)], active: 1)
        #expect(opens(sealed, in: sameKeyOtherVault) == nil)
        #expect(opens(sealed, in: otherKey) == nil)
    }

    @Test func aRecordOpensOnlyUnderTheEpochItNames() throws {
        let sealed = seal("r-0001")
        let later = try Fixture.keyring([(1, Self.firstKey), (2, Self.secondKey)], active: 2)
        let dropped = try Fixture.keyring([(2, Self.secondKey)], active: 2)
        // The same data key under another number, so that only the context differs.
        let renumbered = try Fixture.keyring([(2, Self.firstKey)], active: 2)
        #expect(opens(sealed, in: later) == Secret("r-0001"))
        #expect(opens(sealed, in: dropped) == nil)
        let relabelled = [0, 0, 0, 2] + sealed.dropFirst(4)
        #expect(opens(relabelled, in: later) == nil)
        #expect(opens(relabelled, in: renumbered) == nil)
        let resealed = seal("r-0002", in: later)
        #expect(resealed.prefix(4) == [0, 0, 0, 2])
        #expect(opens(resealed, in: dropped) == Secret("r-0002"))
        #expect(opens(resealed) == nil)
    }

    @Test func everyChangeOfAStoredRecordIsRefused() throws {
        let keyring = try Fixture.keyring(
            [(1, Self.firstKey), (0, Self.secondKey), (3, Self.firstKey)],
            active: 1
        )
        let accepted = Tampering.accepted(of: seal("r-0001", in: keyring)) {
            opens($0, in: keyring) != nil
        }
        #expect(accepted == [])
    }

    @Test func sealingTwiceGivesDifferentRecords() {
        #expect(seal("r-0001") != seal("r-0001"))
    }

    private func seal(_ text: String, in keyring: Keyring? = nil) -> [UInt8] {
        (keyring ?? self.keyring).seal(
            Secret(text),
            kind: .tokens,
            account: Fixture.account,
            generation: 7
        )
    }

    private func opens(
        _ record: [UInt8],
        _ kind: RecordKind = .tokens,
        account: AccountID = Fixture.account,
        generation: UInt64 = 7,
        in keyring: Keyring? = nil
    ) -> Secret? {
        try? (keyring ?? self.keyring).open(
            record,
            kind: kind,
            account: account,
            generation: generation
        )
    }
}
