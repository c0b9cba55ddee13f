import Testing

@testable import VaultCrypto

@Suite struct KeyDerivationTests {
    private func subkey(_ number: UInt64, _ label: StaticString, of key: [UInt8]) -> [UInt8] {
        var output = [UInt8](repeating: 0, count: KeyLength.key)
        KeyDerivation.subkey(number, label, of: key, into: &output)
        return output
    }

    @Test func sizesAreThoseOfTheFormat() throws {
        let constants = try Vectors.load().constants
        #expect(KeyLength.key == constants.secretboxKey)
        #expect(KeyLength.nonce == constants.secretboxNonce)
        #expect(KeyLength.authenticator == constants.secretboxMac)
        #expect(KeyLength.padding == constants.padBlock)
        #expect(constants.kdfCtx == 8)
        #expect(constants.argon2idAlg == 2)
    }

    @Test func dataKeySubkeysAreTheVectors() throws {
        let vector = try #require(try Vectors.load().kdf.first { $0.dek != nil })
        let dataKey = try #require(vector.dek?.wrappedValue)
        #expect(subkey(1, "vltrec01", of: dataKey) == vector.enc?.wrappedValue)
        #expect(subkey(2, "vltmac01", of: dataKey) == vector.mac?.wrappedValue)
    }

    @Test func rootSubkeysAreTheVectors() throws {
        let vector = try #require(try Vectors.load().kdf.first { $0.root != nil })
        let root = Fixture.rootKey(try #require(vector.root?.wrappedValue))
        let expected: [(RootKey.Purpose, [UInt8]?)] = [
            (.keyring, vector.ring?.wrappedValue),
            (.check, vector.check?.wrappedValue),
            (.spentToken, vector.spent?.wrappedValue),
        ]
        for (purpose, bytes) in expected {
            var output = [UInt8](repeating: 0, count: KeyLength.key)
            root.derive(purpose, into: &output)
            #expect(output == bytes, "\(purpose)")
        }
    }

    @Test func integersAreBigEndianAndOfFixedWidth() {
        var bytes: [UInt8] = []
        bytes.append(bigEndian: UInt16(0x0102))
        bytes.append(bigEndian: UInt32(0x0304_0506))
        bytes.append(bigEndian: UInt64.max - 1)
        #expect(bytes == [1, 2, 3, 4, 5, 6, 255, 255, 255, 255, 255, 255, 255, 254])
        #expect(bytes.bigEndian(at: 0) as UInt16 == 0x0102)
        #expect(bytes.bigEndian(at: 2) as UInt32 == 0x0304_0506)
        #expect(bytes.bigEndian(at: 6) as UInt64 == UInt64.max - 1)
    }

    @Test func hashesOfDifferentLengthAreUnequal() {
        #expect(constantTimeEqual([1, 2], [1, 2]))
        #expect(constantTimeEqual([], []))
        #expect(!constantTimeEqual([1, 2], [1, 3]))
        #expect(!constantTimeEqual([1, 2], [1, 2, 0]))
        #expect(!constantTimeEqual([], [0]))
    }

    @Test func randomBytesDoNotRepeat() {
        let drawn = Set((0..<100).map { _ in Randomness.bytes(count: 24) })
        #expect(drawn.count == 100)
        #expect(drawn.allSatisfy { $0.count == 24 })
    }
}
