import Testing

@testable import VaultCrypto

@Suite struct KeySlotTests {
    @Test(arguments: try Vectors.load().slots)
    func secretContextAndSlotAreTheVector(_ vector: Vectors.Slot) throws {
        let slot = try vector.slot()
        let secret = try vector.secret()
        #expect(secret.exposed == vector.ikm)
        let context = KeySlot.context(
            number: slot.number,
            kind: slot.kind,
            cost: slot.cost,
            salt: slot.salt,
            vaultID: Fixture.vault
        )
        #expect(context == vector.ctx)
        #expect(context.count == 56)
        let wrapped = KeySlot.wrap(
            Fixture.rootKey(),
            under: secret,
            number: slot.number,
            kind: slot.kind,
            cost: slot.cost,
            salt: slot.salt,
            vaultID: Fixture.vault,
            nonce: vector.nonce
        )
        #expect(wrapped == slot)
        #expect(try slot.open(with: secret, vaultID: Fixture.vault).exposed == Fixture.rootBytes)
    }

    @Test(arguments: try Vectors.load().slots)
    func theSlotKeyIsTheVector(_ vector: Vectors.Slot) {
        let message = Array("VLT1KEK\0".utf8) + vector.ctx
        #expect(KeyDerivation.hash(message.span, key: vector.ikm) == vector.kek)
        let opened = Reference.openBox(vector.wrapped, nonce: vector.nonce, key: vector.kek)
        #expect(opened == Fixture.rootBytes)
    }

    @Test(arguments: [KeySlot.Kind.passphrase, .keyFile, .recoveryKey])
    func aFreshSlotOpensWithItsSecretAndNoOther(_ kind: KeySlot.Kind) throws {
        let root = RootKey.random()
        let secret = SecretBytes.random(count: 32)
        let slot = KeySlot.wrap(
            root,
            under: secret,
            number: 9,
            kind: kind,
            vaultID: Fixture.vault
        )
        let again = KeySlot.wrap(
            root,
            under: secret,
            number: 9,
            kind: kind,
            vaultID: Fixture.vault
        )
        #expect(slot.nonce != again.nonce)
        #expect(try slot.open(with: secret, vaultID: Fixture.vault).exposed == root.exposed)
        #expect(failure(slot, .random(count: 32)) == .wrongSecret)
        #expect(failure(slot, .random(count: 31)) == .wrongSecret)
        #expect(failure(slot, .random(count: 0)) == .wrongSecret)
        #expect(failure(slot, secret, vault: Fixture.otherVault) == .wrongSecret)
    }

    @Test(arguments: try Vectors.load().slots)
    func everyOtherContextIsAnotherSecret(_ vector: Vectors.Slot) throws {
        let slot = try vector.slot()
        let secret = SecretBytes(copying: vector.ikm.span)
        let dearer = PassphraseCost(passes: slot.cost.passes + 1, memory: slot.cost.memory)
        let larger = PassphraseCost(passes: slot.cost.passes, memory: slot.cost.memory + 1)
        let salt = slot.salt.dropLast() + [slot.salt[15] ^ 1]
        #expect(failure(slot, secret) == nil)
        #expect(failure(slot.changed(number: slot.number ^ 1), secret) == .wrongSecret)
        #expect(failure(slot.changed(number: slot.number ^ 0x100), secret) == .wrongSecret)
        #expect(failure(slot.changed(kind: .recoveryKey), secret) == .wrongSecret)
        #expect(failure(slot.changed(cost: dearer), secret) == .wrongSecret)
        #expect(failure(slot.changed(cost: larger), secret) == .wrongSecret)
        #expect(failure(slot.changed(salt: Array(salt)), secret) == .wrongSecret)
        #expect(failure(slot.changed(salt: []), secret) == .wrongSecret)
        #expect(failure(slot, secret, vault: Fixture.otherVault) == .wrongSecret)
    }

    @Test(arguments: try Vectors.load().slots)
    func everyChangeOfWhatIsStoredIsRefused(_ vector: Vectors.Slot) throws {
        let slot = try vector.slot()
        let secret = SecretBytes(copying: vector.ikm.span)
        let wrapped = Tampering.accepted(of: slot.wrappedRootKey) {
            failure(slot.changed(wrapped: $0), secret) != .damaged
        }
        #expect(wrapped == [])
        let nonce = Tampering.accepted(of: slot.nonce) {
            failure(slot.changed(nonce: $0), secret) != .damaged
        }
        #expect(nonce == [])
        let commitment = Tampering.accepted(of: slot.commitment) {
            failure(slot.changed(commitment: $0), secret) != .wrongSecret
        }
        #expect(commitment == [])
    }
}

/// The box that opens under two keys: the slot tells them apart by its commitment.
@Suite struct KeySlotCollisionTests {
    private let vector: Vectors.KeyCollision

    init() throws {
        vector = try Vectors.load().keyCollision
    }

    @Test func theBoxReallyOpensUnderBothKeys() {
        let first = Reference.openBox(vector.box, nonce: vector.nonce, key: vector.keyA)
        let second = Reference.openBox(vector.box, nonce: vector.nonce, key: vector.keyB)
        #expect(first == vector.opensA)
        #expect(second == vector.opensB)
        #expect(first != second)
    }

    @Test func aSlotRefusesBothKeysBeforeItOpensTheBox() {
        let unrelated = slot(committedTo: .random(count: 32))
        #expect(failure(unrelated, SecretBytes(copying: vector.keyA.span)) == .wrongSecret)
        #expect(failure(unrelated, SecretBytes(copying: vector.keyB.span)) == .wrongSecret)
    }

    @Test func aSlotCommittedToOneKeyOpensUnderNeither() {
        let committed = slot(committedTo: SecretBytes(copying: vector.keyA.span))
        #expect(failure(committed, SecretBytes(copying: vector.keyA.span)) == .damaged)
        #expect(failure(committed, SecretBytes(copying: vector.keyB.span)) == .wrongSecret)
    }

    private func slot(committedTo secret: borrowing SecretBytes) -> KeySlot {
        KeySlot.wrap(
            Fixture.rootKey(),
            under: secret,
            number: 0,
            kind: .keyFile,
            vaultID: Fixture.vault
        ).changed(nonce: vector.nonce, wrapped: vector.box)
    }
}

private func failure(
    _ slot: KeySlot,
    _ secret: borrowing SecretBytes,
    vault: VaultID = Fixture.vault
) -> KeySlotError? {
    do throws(KeySlotError) {
        _ = try slot.open(with: secret, vaultID: vault)
        return nil
    } catch {
        return error
    }
}

extension KeySlot {
    fileprivate func changed(
        number: UInt16? = nil,
        kind: Kind? = nil,
        cost: PassphraseCost? = nil,
        salt: [UInt8]? = nil,
        commitment: [UInt8]? = nil,
        nonce: [UInt8]? = nil,
        wrapped: [UInt8]? = nil
    ) -> KeySlot {
        KeySlot(
            number: number ?? self.number,
            kind: kind ?? self.kind,
            cost: cost ?? self.cost,
            salt: salt ?? self.salt,
            commitment: commitment ?? self.commitment,
            nonce: nonce ?? self.nonce,
            wrappedRootKey: wrapped ?? self.wrappedRootKey
        )
    }
}

extension Vectors.Slot: CustomTestStringConvertible {
    var testDescription: String { name }

    fileprivate func slot() throws -> KeySlot {
        KeySlot(
            number: slotNo,
            kind: try #require(KeySlot.Kind(rawValue: type)),
            cost: PassphraseCost(passes: ops ?? 0, memory: mem ?? 0),
            salt: salt?.wrappedValue ?? [UInt8](repeating: 0, count: 16),
            commitment: commit,
            nonce: nonce,
            wrappedRootKey: wrapped
        )
    }

    fileprivate func secret() throws -> SecretBytes {
        guard let passphrase = passphraseUtf8?.wrappedValue else {
            return SecretBytes(copying: ikm.span)
        }
        let slot = try slot()
        return try slot.cost.secret(
            from: SecretBytes(copying: passphrase.span),
            salt: slot.salt
        )
    }
}
