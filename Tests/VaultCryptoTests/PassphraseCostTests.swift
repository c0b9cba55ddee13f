import Testing

@testable import VaultCrypto

@Suite struct PassphraseCostTests {
    private static let salt = [UInt8](repeating: 7, count: 16)

    struct Row: Sendable, CustomTestStringConvertible {
        let passes: UInt32
        let memory: UInt64

        var testDescription: String { "\(passes) passes over \(memory) bytes" }
    }

    // A pass over 8 MiB takes milliseconds; four of these would not end, and the KDF itself would
    // report the one that cannot be allocated as a lack of memory.
    @Test(
        arguments: [
            Row(passes: 0, memory: 8 << 20),
            Row(passes: 17, memory: 8 << 20),
            Row(passes: .max, memory: 8 << 20),
            Row(passes: 3, memory: 0),
            Row(passes: 3, memory: 8191),
            Row(passes: 3, memory: (8 << 20) - 1),
            Row(passes: 3, memory: (2 << 30) + 1),
            Row(passes: 3, memory: 4 << 40),
            Row(passes: 3, memory: 1 << 63),
            Row(passes: 3, memory: .max),
            Row(passes: .max, memory: .max),
            Row(passes: 0, memory: 0),
        ]
    )
    func costOutsideTheBoundsIsRefusedBeforeTheWork(_ row: Row) {
        let passphrase = SecretBytes.random(count: 20)
        let cost = PassphraseCost(passes: row.passes, memory: row.memory)
        var failure: KeySlotError?
        let elapsed = ContinuousClock().measure {
            failure = Self.failure(cost, passphrase, salt: Self.salt)
        }
        #expect(failure == .parametersOutOfRange)
        #expect(elapsed < .seconds(1))
    }

    @Test(arguments: [0, 8, 15, 17, 32])
    func saltOfAnotherLengthIsRefused(_ count: Int) {
        let passphrase = SecretBytes.random(count: 20)
        let cost = PassphraseCost(passes: 1, memory: 8 << 20)
        let salt = [UInt8](repeating: 7, count: count)
        #expect(Self.failure(cost, passphrase, salt: salt) == .parametersOutOfRange)
    }

    @Test func theLeastCostWorksAndDependsOnEveryInput() throws {
        let one = PassphraseCost(passes: 1, memory: 8 << 20)
        let two = PassphraseCost(passes: 2, memory: 8 << 20)
        let more = PassphraseCost(passes: 1, memory: 9 << 20)
        let passphrase = SecretBytes(copying: Array("tide".utf8).span)
        let other = SecretBytes(copying: Array("tidE".utf8).span)
        let empty = SecretBytes.random(count: 0)
        let otherSalt = [UInt8](repeating: 8, count: 16)
        let secrets = [
            try one.secret(from: passphrase, salt: Self.salt).exposed,
            try two.secret(from: passphrase, salt: Self.salt).exposed,
            try more.secret(from: passphrase, salt: Self.salt).exposed,
            try one.secret(from: other, salt: Self.salt).exposed,
            try one.secret(from: empty, salt: Self.salt).exposed,
            try one.secret(from: passphrase, salt: otherSalt).exposed,
        ]
        #expect(Set(secrets).count == secrets.count)
        let again = try one.secret(from: passphrase, salt: Self.salt).exposed
        #expect(again == secrets.first)
    }

    @Test func theStandardCostIsWithinTheBounds() {
        #expect(PassphraseCost.standard == PassphraseCost(passes: 3, memory: 268_435_456))
    }

    private static func failure(
        _ cost: PassphraseCost,
        _ passphrase: borrowing SecretBytes,
        salt: [UInt8]
    ) -> KeySlotError? {
        do throws(KeySlotError) {
            _ = try cost.secret(from: passphrase, salt: salt)
            return nil
        } catch {
            return error
        }
    }
}
