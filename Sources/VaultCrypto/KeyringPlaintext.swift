/// What the keyring record says: version u8 · flags u8 · active epoch u32 · count u16, then epoch
/// u32 and data key 32 for each.
struct KeyringPlaintext: Equatable {
    var isRotating: Bool
    var activeEpoch: UInt32
    var entries: [Entry]

    struct Entry: Equatable {
        let epoch: UInt32
        let dataKey: Secret
    }

    private static let version: UInt8 = 1
    private static let headerCount = 8
    private static let entryCount = 4 + KeyLength.key

    func encoded() -> Secret {
        var bytes: [UInt8] = [Self.version, isRotating ? 1 : 0]
        // Growing later would leave copies of the keys behind, unwiped.
        bytes.reserveCapacity(Self.headerCount + entries.count * Self.entryCount)
        bytes.append(bigEndian: activeEpoch)
        bytes.append(bigEndian: UInt16(entries.count))
        for entry in entries {
            bytes.append(bigEndian: entry.epoch)
            entry.dataKey.withBytes { key in
                for index in key.indices { bytes.append(key[index]) }
            }
        }
        return Secret(wiping: &bytes)
    }

    init(isRotating: Bool, activeEpoch: UInt32, entries: [Entry]) {
        self.isRotating = isRotating
        self.activeEpoch = activeEpoch
        self.entries = entries
    }

    /// Reads what `encoded` wrote; the active epoch is among the entries, and no epoch comes twice.
    init(decoding secret: Secret) throws(SealingError) {
        var bytes = secret.withBytes { span in span.indices.map { span[$0] } }
        defer { wipe(&bytes) }
        guard bytes.count >= Self.headerCount, bytes[0] == Self.version, bytes[1] <= 1 else {
            throw SealingError()
        }
        isRotating = bytes[1] == 1
        activeEpoch = bytes.bigEndian(at: 2)
        let count = Int(bytes.bigEndian(at: 6) as UInt16)
        guard bytes.count == Self.headerCount + count * Self.entryCount else {
            throw SealingError()
        }
        entries = (0..<count).map { index in
            let start = Self.headerCount + index * Self.entryCount
            return Entry(
                epoch: bytes.bigEndian(at: start),
                dataKey: Secret(copying: bytes.span.extracting(start + 4..<start + Self.entryCount))
            )
        }
        let epochs = Set(entries.map(\.epoch))
        guard epochs.count == count, epochs.contains(activeEpoch) else { throw SealingError() }
    }
}
