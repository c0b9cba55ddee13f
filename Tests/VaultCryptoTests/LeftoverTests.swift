internal import FoundationEssentials
internal import Glibc
import Testing

@testable import VaultCrypto

/// No copy of a secret stays behind in memory that was given back.
///
/// Each in a process of its own, which looks through everything it may write to.
@Suite(
    .enabled(
        if: try Canary.seesAllMemory(),
        "a sanitizer spreads its heap over terabytes, which nobody can search"
    )
)
struct LeftoverTests {
    @Test func theSearchFindsASecretThatIsThere() async {
        await #expect(processExitsWith: .success) {
            let secret = Canary.secret(count: 200)
            guard try Canary.sightings() > 0 else { exit(10) }
            withExtendedLifetime(secret) {}
        }
    }

    @Test func aSecretIsWipedWithItsLastCopy() async {
        await #expect(processExitsWith: .success) {
            do {
                let secret = Canary.secret(count: 200)
                let copy = secret
                guard secret == copy, secret.hashValue == copy.hashValue else { exit(10) }
            }
            guard try Canary.sightings() == 0 else { exit(11) }
        }
    }

    @Test(arguments: [40, 200, 3000])
    func hashingASpentTokenLeavesNothing(_ count: Int) async {
        await #expect(processExitsWith: .success) { [count = count as Int] in
            let keyring = Keyring.create(rootKey: .random(), vaultID: .random()).keyring
            do { _ = keyring.spentTokenHash(of: Canary.secret(count: count)) }
            guard try Canary.sightings() == 0 else { exit(11) }
        }
    }

    @Test(arguments: [40, 200, 3000])
    func sealingAndOpeningARecordLeavesNothing(_ count: Int) async {
        await #expect(processExitsWith: .success) { [count = count as Int] in
            let keyring = Keyring.create(rootKey: .random(), vaultID: .random()).keyring
            let account = AccountID.random()
            let sealed = keyring.seal(
                Canary.secret(count: count),
                kind: .tokens,
                account: account,
                generation: 1
            )
            do {
                _ = try keyring.open(sealed, kind: .tokens, account: account, generation: 1)
            }
            guard try Canary.sightings() == 0 else { exit(11) }
        }
    }

    @Test func sealingAndOpeningAKeyringLeavesNoDataKey() async {
        await #expect(processExitsWith: .success) {
            let root = RootKey.random()
            let vault = VaultID.random()
            let sealed = Keyring.seal(
                KeyringPlaintext(
                    isRotating: true,
                    activeEpoch: 2,
                    entries: (1...40).map { epoch in
                        .init(epoch: epoch, dataKey: Canary.secret(count: KeyLength.key))
                    }
                ),
                version: 1,
                rootKey: root,
                vaultID: vault
            )
            guard try Canary.sightings() == 0 else { exit(11) }
            do {
                _ = try Keyring.open(
                    record: sealed.nonce + sealed.box,
                    version: 1,
                    rootKey: root,
                    vaultID: vault
                )
            }
            guard try Canary.sightings() == 0 else { exit(12) }
        }
    }
}

/// Bytes that are computed, never stored, so that only the code under test can leave them behind.
private enum Canary {
    // Past the first bytes, over which malloc writes its list of free pieces.
    private static let searched = 16..<32

    private static func byte(_ index: Int) -> UInt8 {
        UInt8(truncatingIfNeeded: index &* index &* 31 &+ index &* 7 &+ 0x5b)
    }

    static func secret(count: Int) -> Secret {
        var bytes = [UInt8](repeating: 0, count: count)
        for index in bytes.indices { bytes[index] = byte(index) }
        return Secret(wiping: &bytes)
    }

    static func sightings() throws -> Int {
        try writableMemory().reduce(0) { $0 + sightings(in: $1) }
    }

    private static func sightings(in memory: UnsafeRawBufferPointer) -> Int {
        var found = 0
        guard var position = memory.baseAddress else { return 0 }
        let end = position + memory.count - searched.count
        while position < end {
            let distance = end - position
            guard let next = memchr(position, Int32(byte(searched.lowerBound)), distance) else {
                break
            }
            let candidate = UnsafeRawPointer(next)
            let matches = searched.allSatisfy { index in
                let offset = index - searched.lowerBound
                return candidate.load(fromByteOffset: offset, as: UInt8.self) == byte(index)
            }
            if matches { found += 1 }
            position = candidate + 1
        }
        return found
    }

    /// Whether what this process may write to is little enough to be searched.
    static func seesAllMemory() throws -> Bool {
        try writableMemory().allSatisfy { $0.count <= 1 << 32 }
    }

    private static func writableMemory() throws -> [UnsafeRawBufferPointer] {
        let maps = try String(contentsOfFile: "/proc/self/maps", encoding: .utf8)
        return maps.split(separator: "\n").compactMap { line in
            let fields = line.split(separator: " ")
            let bounds = fields[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
            guard fields[1].hasPrefix("rw"), bounds.count == 2 else { return nil }
            return UnsafeRawBufferPointer(
                start: UnsafeRawPointer(bitPattern: bounds[0]),
                count: Int(bounds[1] - bounds[0])
            )
        }
    }
}
