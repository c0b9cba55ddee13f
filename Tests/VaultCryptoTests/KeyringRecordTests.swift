import Testing

@testable import VaultCrypto

/// The keyring's own record.
@Suite struct KeyringRecordTests {
    @Test(arguments: try Vectors.load().keyring)
    func contextKeyAndBoxAreTheVectorBothWays(_ vector: Vectors.Ring) throws {
        let context = RecordContext(
            kind: .keyring,
            epoch: 0,
            vaultID: Fixture.vault,
            accountID: .none,
            generation: vector.version
        ).array
        #expect(context == vector.ctx)
        var keyringKey = [UInt8](repeating: 0, count: KeyLength.key)
        Fixture.rootKey().derive(.keyring, into: &keyringKey)
        #expect(KeyDerivation.hash(context.span, key: keyringKey) == vector.recordKey)

        let sealed = Keyring.seal(
            vector.contents,
            version: vector.version,
            rootKey: Fixture.rootKey(),
            vaultID: Fixture.vault,
            nonce: vector.nonce
        )
        #expect(sealed.nonce == vector.nonce)
        #expect(sealed.box == vector.box)
        let contents: KeyringPlaintext = try Keyring.open(
            vector.record,
            version: vector.version,
            rootKey: Fixture.rootKey(),
            vaultID: Fixture.vault
        )
        #expect(contents == vector.contents)
        let keyring = try vector.open()
        #expect(keyring.version == vector.version)
        #expect(keyring.activeEpoch == vector.activeEpoch)
        #expect(keyring.vaultID == Fixture.vault)
    }

    @Test(arguments: try Vectors.load().keyring)
    func everyChangeOfTheRecordIsRefused(_ vector: Vectors.Ring) {
        let accepted = Tampering.accepted(of: vector.record) { (try? vector.open($0)) != nil }
        #expect(accepted == [])
    }

    @Test(arguments: try Vectors.load().keyring)
    func itOpensOnlyInItsPlace(_ vector: Vectors.Ring) {
        #expect((try? vector.open()) != nil)
        for version in [0, vector.version - 1, vector.version + 1, vector.version + 1 << 32] {
            let opened = version == vector.version ? nil : try? vector.open(version: version)
            #expect(opened == nil, "version \(version)")
        }
        #expect((try? vector.open(vault: Fixture.otherVault)) == nil)
        #expect((try? vector.open(root: [UInt8](repeating: 0xa4, count: 32))) == nil)
    }

    @Test func aFreshKeyringOpensFromItsRecord() throws {
        let root = RootKey.random()
        let (keyring, record) = Keyring.create(rootKey: root, vaultID: Fixture.vault)
        #expect(keyring.version == 1)
        #expect(keyring.activeEpoch == 1)
        #expect(record.count == KeyLength.nonce + KeyLength.padding + KeyLength.authenticator)
        let opened = try Keyring.open(
            record: record,
            version: 1,
            rootKey: root,
            vaultID: Fixture.vault
        )
        let sealed = keyring.seal(
            Secret("token"),
            kind: .tokens,
            account: Fixture.account,
            generation: 3
        )
        let token = try opened.open(
            sealed,
            kind: .tokens,
            account: Fixture.account,
            generation: 3
        )
        #expect(token == Secret("token"))
        #expect(
            opened.spentTokenHash(of: Secret("token"))
                == keyring.spentTokenHash(of: Secret("token"))
        )
    }

    @Test func freshKeyringsOfOneRootShareNoDataKey() {
        let root = RootKey.random()
        let one = Keyring.create(rootKey: root, vaultID: Fixture.vault)
        let other = Keyring.create(rootKey: root, vaultID: Fixture.vault)
        #expect(one.record != other.record)
        let sealed = one.keyring.seal(
            Secret("token"),
            kind: .tokens,
            account: Fixture.account,
            generation: 1
        )
        #expect(throws: SealingError()) {
            try other.keyring.open(
                sealed,
                kind: .tokens,
                account: Fixture.account,
                generation: 1
            )
        }
    }
}

extension Vectors.Ring {
    fileprivate var record: [UInt8] { nonce + box }

    fileprivate func open(
        _ record: [UInt8]? = nil,
        version: UInt64? = nil,
        root: [UInt8] = Fixture.rootBytes,
        vault: VaultID = Fixture.vault
    ) throws -> Keyring {
        try Keyring.open(
            record: record ?? self.record,
            version: version ?? self.version,
            rootKey: Fixture.rootKey(root),
            vaultID: vault
        )
    }
}
