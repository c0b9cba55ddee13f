import Testing

@testable import VaultCrypto

@Suite struct RootKeyTests {
    @Test func checkIsTheVector() throws {
        let vector = try Vectors.load().rootCheck
        let vault = try #require(VaultID(vector.vaultId))
        let check = Fixture.rootKey(vector.root).check(for: vault)
        #expect(check == vector.check)
    }

    @Test func checkBelongsToOneVaultAndOneKey() throws {
        let check = try Vectors.load().rootCheck.check
        let root = Fixture.rootKey()
        let other = RootKey.random()
        let matches = [
            root.matches(check: check, for: Fixture.vault),
            root.matches(check: check, for: Fixture.otherVault),
            other.matches(check: check, for: Fixture.vault),
        ]
        #expect(matches == [true, false, false])
        let accepted = Tampering.accepted(of: check) {
            root.matches(check: $0, for: Fixture.vault)
        }
        #expect(accepted == [])
    }

    @Test func freshKeysDiffer() {
        let one = RootKey.random().exposed
        let other = RootKey.random().exposed
        #expect(one.count == KeyLength.key)
        #expect(one != other)
    }
}
