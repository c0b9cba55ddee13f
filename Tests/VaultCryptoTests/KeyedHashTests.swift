import Testing

@testable import VaultCrypto

/// The keyed hashes that a keyring makes.
@Suite struct KeyedHashTests {
    private static let dataKey = [UInt8](0..<32)

    private func keyring(
        root: [UInt8] = Fixture.rootBytes,
        vault: VaultID = Fixture.vault,
        dataKey: [UInt8] = dataKey
    ) throws -> Keyring {
        try Fixture.keyring([(1, dataKey)], active: 1, root: root, vault: vault)
    }

    @Test(arguments: try Vectors.load().spentToken)
    func spentTokenHashIsTheVector(_ vector: Vectors.SpentToken) throws {
        let keyring = try keyring(
            root: vector.root,
            vault: try #require(VaultID(vector.vaultId))
        )
        let token = Secret(bytes: vector.refreshTokenUtf8)
        #expect(keyring.spentTokenHash(of: token) == vector.hash)
        let isRight: ([UInt8]) -> Bool = { hash in
            token.withBytes { keyring.spentTokenHash(hash.span, isOf: $0) }
        }
        #expect(isRight(vector.hash))
        #expect(Tampering.accepted(of: vector.hash, by: isRight).isEmpty)
    }

    @Test func spentTokenHashSurvivesRotationButNotAnotherVaultOrRoot() throws {
        let token = Secret("r-0001")
        let hash = try keyring().spentTokenHash(of: token)
        let rotated = try keyring(dataKey: [UInt8](100..<132))
        #expect(rotated.spentTokenHash(of: token) == hash)
        #expect(try keyring(vault: Fixture.otherVault).spentTokenHash(of: token) != hash)
        let otherRoot = try keyring(root: [UInt8](repeating: 1, count: 32))
        #expect(otherRoot.spentTokenHash(of: token) != hash)
        #expect(rotated.spentTokenHash(of: Secret("r-0001\0")) != hash)
    }

    // Made with libsodium alone: keyed BLAKE2b-256 under kdf(root, 4, "vltsel01").
    @Test func selectionHashIsFixed() throws {
        let digits = "14e4d0d194057d8b9d4890585abf4296193b0800b144c5ae989946ad87ebbbd3"
        let hash = try keyring().selectionHash(of: Fixture.account)
        #expect(hash == Hex.bytes(of: digits))
    }

    @Test func selectionHashNamesOneAccountOfOneVault() throws {
        let keyring = try keyring()
        let hash = keyring.selectionHash(of: Fixture.account)
        #expect(keyring.selection(hash, names: Fixture.account))
        #expect(!keyring.selection(hash, names: Fixture.otherAccount))
        let rotated = try self.keyring(dataKey: [UInt8](100..<132))
        #expect(rotated.selection(hash, names: Fixture.account))
        let otherVault = try self.keyring(vault: Fixture.otherVault)
        #expect(!otherVault.selection(hash, names: Fixture.account))
        let otherRoot = try self.keyring(root: [UInt8](repeating: 1, count: 32))
        #expect(!otherRoot.selection(hash, names: Fixture.account))
        let accepted = Tampering.accepted(of: hash) {
            keyring.selection($0, names: Fixture.account)
        }
        #expect(accepted == [])
    }

    // Made with Python's hashlib: keyed BLAKE2b-256 under kdf(root, 4, "vltsel01").
    @Test func tagHashIsFixed() throws {
        let digits = "78b7d166ed5c3013e054c3b78d1ffcce4fa16aa43901d7cb9bfd4a4189008e65"
        #expect(try keyring().tagHash(of: "caf\u{e9} 7") == Hex.bytes(of: digits))
    }

    @Test func tagHashSurvivesRotationButNotAnotherVaultOrRoot() throws {
        let hash = try keyring().tagHash(of: "a")
        #expect(try keyring(dataKey: [UInt8](100..<132)).tagHash(of: "a") == hash)
        #expect(try keyring(vault: Fixture.otherVault).tagHash(of: "a") != hash)
        #expect(try keyring(root: [UInt8](repeating: 1, count: 32)).tagHash(of: "a") != hash)
        #expect(try keyring().tagHash(of: "a\0") != hash)
    }

    private func row(account: String?) -> ActivityFacts {
        ActivityFacts(
            number: 7,
            at: 1_700_000_000,
            actor: "vault-agent 812",
            action: "refreshed",
            account: account,
            result: "ok",
            isRoutine: true
        )
    }

    // Made with Python's hashlib: keyed BLAKE2b-256 under kdf(root, 5, "vltlog01").
    @Test(arguments: [
        ("work", "f9dd0786bb59ddaf6ce7ada7a6e6e38faa2785cf0ec5963e2f73bb193fe14c4d"),
        (nil, "b0b60032c9a222e9113cca4e10743b07df8ee0119b0934b3dca0ed99e1678b8e"),
        ("", "ccc892ce822d23fb43e270884804c6aa0bcccd718ecc5c639c2506102324e01a"),
    ])
    func activityHashIsFixed(_ account: String?, _ digits: String) throws {
        #expect(try keyring().activityHash(of: row(account: account)) == Hex.bytes(of: digits))
    }

    @Test func activityHashSurvivesRotationAndNothingElse() throws {
        let row = row(account: "work")
        let hash = try keyring().activityHash(of: row)
        let isRight = { (keyring: Keyring) in keyring.activity(hash, vouchesFor: row) }
        #expect(try isRight(keyring()))
        #expect(try isRight(keyring(dataKey: [UInt8](100..<132))))
        #expect(try !isRight(keyring(vault: Fixture.otherVault)))
        #expect(try !isRight(keyring(root: [UInt8](repeating: 1, count: 32))))
        let keyring = try keyring()
        #expect(Tampering.accepted(of: hash) { keyring.activity($0, vouchesFor: row) } == [])
        // A letter that moves over a border makes another row.
        var shifted = row
        (shifted.actor, shifted.action) = ("vault-agent 812r", "efreshed")
        #expect(!keyring.activity(hash, vouchesFor: shifted))
    }

    @Test func theTwoHashesNeverCoincide() throws {
        let keyring = try keyring()
        let spent = keyring.spentTokenHash(of: Secret(bytes: Fixture.account.bytes))
        #expect(spent != keyring.selectionHash(of: Fixture.account))
    }
}
