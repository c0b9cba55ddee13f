/// What the keyring record says: version u8 · flags u8 · active epoch u32 · count u16, then epoch
/// u32 and data key 32 for each.
///
/// Version 2, written only where there is something to carry, goes on with count u16 and 32 bytes
/// for each earlier spent-token key, newest first.
package struct KeyringPlaintext: Equatable {
    var isRotating: Bool
    var activeEpoch: UInt32
    var entries: [Entry]
    /// The spent-token keys of the root keys before this one: hashes made under them are still
    /// stored.
    var earlierSpentKeys: [Secret]

    struct Entry: Equatable {
        let epoch: UInt32
        let dataKey: Secret
    }

    /// Root keys whose spent tokens are still recognised; the oldest is dropped for one more.
    static let earlierSpentKeysKept = 8

    private static let headerCount = 8
    private static let entryCount = 4 + KeyLength.key

    init(
        isRotating: Bool,
        activeEpoch: UInt32,
        entries: [Entry],
        earlierSpentKeys: [Secret] = []
    ) {
        self.isRotating = isRotating
        self.activeEpoch = activeEpoch
        self.entries = entries
        self.earlierSpentKeys = earlierSpentKeys
    }

    // MARK: - Writing

    package func encoded() -> Secret {
        let version: UInt8 = earlierSpentKeys.isEmpty ? 1 : 2
        var bytes: [UInt8] = [version, isRotating ? 1 : 0]
        // Growing later would leave copies of the keys behind, unwiped.
        bytes.reserveCapacity(
            Self.headerCount + entries.count * Self.entryCount
                + 2 + earlierSpentKeys.count * KeyLength.key
        )
        bytes.append(bigEndian: activeEpoch)
        bytes.append(bigEndian: UInt16(entries.count))
        for entry in entries {
            bytes.append(bigEndian: entry.epoch)
            bytes.append(entry.dataKey)
        }
        if version > 1 {
            bytes.append(bigEndian: UInt16(earlierSpentKeys.count))
            for key in earlierSpentKeys { bytes.append(key) }
        }
        return Secret(wiping: &bytes)
    }

    // MARK: - Reading

    /// Reads what `encoded` wrote; the active epoch is among the entries, and no epoch comes twice.
    package init(decoding secret: Secret) throws(SealingError) {
        var bytes = secret.withBytes { span in span.indices.map { span[$0] } }
        defer { wipe(&bytes) }
        guard bytes.count >= Self.headerCount, 1...2 ~= bytes[0], bytes[1] <= 1 else {
            throw SealingError()
        }
        isRotating = bytes[1] == 1
        activeEpoch = bytes.bigEndian(at: 2)
        let count = Int(bytes.bigEndian(at: 6) as UInt16)
        let end = Self.headerCount + count * Self.entryCount
        guard bytes.count >= end else { throw SealingError() }
        entries = (0..<count).map { index in
            let start = Self.headerCount + index * Self.entryCount
            return Entry(epoch: bytes.bigEndian(at: start), dataKey: bytes.key(at: start + 4))
        }
        earlierSpentKeys = try Self.earlierSpentKeys(of: bytes, from: end)
        let epochs = Set(entries.map(\.epoch))
        guard epochs.count == count, epochs.contains(activeEpoch) else { throw SealingError() }
    }

    private static func earlierSpentKeys(
        of bytes: [UInt8],
        from start: Int
    ) throws(SealingError) -> [Secret] {
        guard bytes[0] == 2 else {
            guard bytes.count == start else { throw SealingError() }
            return []
        }
        guard bytes.count >= start + 2 else { throw SealingError() }
        let count = Int(bytes.bigEndian(at: start) as UInt16)
        guard 1...earlierSpentKeysKept ~= count,
            bytes.count == start + 2 + count * KeyLength.key
        else { throw SealingError() }
        return (0..<count).map { bytes.key(at: start + 2 + $0 * KeyLength.key) }
    }
}

extension [UInt8] {
    fileprivate mutating func append(_ key: Secret) {
        key.withBytes { key in
            for index in key.indices { append(key[index]) }
        }
    }

    /// The key at an offset that is known to be inside.
    fileprivate func key(at offset: Int) -> Secret {
        Secret(copying: span.extracting(offset..<offset + KeyLength.key))
    }
}
