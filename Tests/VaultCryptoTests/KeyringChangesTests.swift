import Testing

@testable import VaultCrypto

/// The keyrings that follow one: rotation and a new root key.
@Suite struct KeyringChangesTests {
    private let first = Keyring.create(rootKey: Fixture.rootKey(), vaultID: Fixture.vault)

    private func begin(_ stored: Keyring.Stored) throws -> Keyring.Stored {
        try Keyring.beginningRotation(
            of: stored.record,
            version: stored.keyring.version,
            rootKey: Fixture.rootKey(),
            vaultID: Fixture.vault
        )
    }

    private func finish(_ stored: Keyring.Stored) throws -> Keyring.Stored {
        try Keyring.finishingRotation(
            of: stored.record,
            version: stored.keyring.version,
            rootKey: Fixture.rootKey(),
            vaultID: Fixture.vault
        )
    }

    private func rekey(
        _ stored: Keyring.Stored,
        from old: borrowing RootKey,
        to new: borrowing RootKey
    ) throws -> Keyring.Stored {
        try Keyring.rekeying(
            stored.record,
            version: stored.keyring.version,
            from: old,
            to: new,
            vaultID: Fixture.vault
        )
    }

    private func seal(_ keyring: Keyring) -> [UInt8] {
        keyring.seal(Secret("r-1"), kind: .tokens, account: Fixture.account, generation: 1)
    }

    private func opens(_ record: [UInt8], _ keyring: Keyring) -> Bool {
        let opened = try? keyring.open(
            record,
            kind: .tokens,
            account: Fixture.account,
            generation: 1
        )
        return opened == Secret("r-1")
    }

    @Test func aRotationOpensOldRecordsUntilItIsFinished() throws {
        let begun = try begin(first)
        let finished = try finish(begun)
        #expect([first, begun, finished].map(\.keyring.version) == [1, 2, 3])
        #expect([first, begun, finished].map(\.keyring.activeEpoch) == [1, 2, 2])
        #expect([first, begun, finished].map(\.keyring.isRotating) == [false, true, false])
        let old = seal(first.keyring)
        let new = seal(begun.keyring)
        #expect([old, new].map { Keyring.epoch(of: $0) } == [1, 2])
        #expect(opens(old, begun.keyring) && opens(new, begun.keyring))
        #expect(!opens(old, finished.keyring) && opens(new, finished.keyring))
        #expect(!opens(new, first.keyring))
    }

    @Test func whatIsStoredIsWhatIsReturned() throws {
        let begun = try begin(first)
        for stored in [begun, try finish(begun)] {
            let opened: Keyring = try Keyring.open(
                record: stored.record,
                version: stored.keyring.version,
                rootKey: Fixture.rootKey(),
                vaultID: Fixture.vault
            )
            #expect(opened.isRotating == stored.keyring.isRotating)
            #expect(opens(seal(stored.keyring), opened))
        }
    }

    @Test func rotationLeavesTheKeyedHashesAsTheyWere() throws {
        let finished = try finish(begin(first)).keyring
        let token = Secret("r-1")
        #expect(finished.spentTokenHashes(of: token) == [first.keyring.spentTokenHash(of: token)])
        let selection = first.keyring.selectionHash(of: Fixture.account)
        #expect(finished.selection(selection, names: Fixture.account))
    }

    @Test func aNewRootKeyOpensNothingOldAndRemembersWhatWasSpent() throws {
        let root = RootKey.random()
        let rekeyed = try rekey(begin(first), from: Fixture.rootKey(), to: root)
        #expect(rekeyed.keyring.version == 3)
        #expect(rekeyed.keyring.activeEpoch == 3)
        #expect(!rekeyed.keyring.isRotating)
        #expect(!opens(seal(first.keyring), rekeyed.keyring))
        let token = Secret("r-1")
        let old = first.keyring.spentTokenHash(of: token)
        let hashes = rekeyed.keyring.spentTokenHashes(of: token)
        #expect(hashes == [rekeyed.keyring.spentTokenHash(of: token), old])
        #expect(hashes[0] != old)
        #expect(throws: SealingError()) {
            let keyring: Keyring = try Keyring.open(
                record: rekeyed.record,
                version: 3,
                rootKey: Fixture.rootKey(),
                vaultID: Fixture.vault
            )
            _ = keyring
        }
        let reopened: Keyring = try Keyring.open(
            record: rekeyed.record,
            version: 3,
            rootKey: root,
            vaultID: Fixture.vault
        )
        #expect(reopened.spentTokenHashes(of: token) == hashes)
    }

    @Test func eightEarlierRootKeysAreRemembered() throws {
        let token = Secret("r-1")
        var stored = first
        var hashes = [stored.keyring.spentTokenHash(of: token)]
        for index in 0..<10 {
            let old = [UInt8](repeating: index == 0 ? 0xa5 : UInt8(index), count: 32)
            let new = [UInt8](repeating: UInt8(index + 1), count: 32)
            stored = try rekey(
                stored,
                from: Fixture.rootKey(old),
                to: Fixture.rootKey(new)
            )
            hashes.insert(stored.keyring.spentTokenHash(of: token), at: 0)
            #expect(stored.keyring.spentTokenHashes(of: token) == Array(hashes.prefix(9)))
        }
        #expect(stored.keyring.earlierSpentKeyCount == 8)
        // A rotation carries them on.
        let begun = try Keyring.beginningRotation(
            of: stored.record,
            version: stored.keyring.version,
            rootKey: Fixture.rootKey([UInt8](repeating: 10, count: 32)),
            vaultID: Fixture.vault
        )
        #expect(begun.keyring.spentTokenHashes(of: token) == Array(hashes.prefix(9)))
        #expect(opens(seal(begun.keyring), begun.keyring))
    }

    @Test func anotherRootKeyChangesNothing() throws {
        let other = RootKey.random()
        #expect(throws: SealingError()) {
            _ = try Keyring.beginningRotation(
                of: first.record,
                version: 1,
                rootKey: other,
                vaultID: Fixture.vault
            )
        }
        #expect(throws: SealingError()) {
            _ = try rekey(first, from: other, to: Fixture.rootKey())
        }
    }
}
