internal import Platform
internal import VaultCrypto

/// Where a key file goes: never inside the vault's directory, or a copy of that would open itself.
enum KeyFilePlace {
    /// The place of a new slot's key file: the given one, else the first default one that is free.
    ///
    /// A place that another slot has is refused: replacing the file behind it would lock that slot.
    static func path(
        _ given: String?,
        for vaultID: VaultID,
        besides slots: [KeySlots.Row],
        _ location: VaultLocation
    ) throws -> String {
        let path = try given.map { FileSystem.absolute($0) } ?? free(for: vaultID, besides: slots)
        guard !slots.contains(where: { $0.keyFile == path }) else {
            throw StoreError.keyFileInUse(path: path)
        }
        do {
            let place = try FileSystem.resolvedDirectory(above: path)
            let directory = try FileSystem.resolved(location.directory)
            guard place != directory, !place.hasPrefix(directory + "/") else {
                throw StoreError.keyFileInsideVault(path: path)
            }
        } catch let error as SystemError {
            throw StoreError.file(path: path, error)
        }
        return path
    }

    private static func free(
        for vaultID: VaultID,
        besides slots: [KeySlots.Row]
    ) throws(StoreError) -> String {
        for number in 1...Int(UInt16.max) {
            let name = number == 1 ? vaultID.text : "\(vaultID.text)-\(number)"
            guard let path = VaultLocation.defaultKeyFile(vaultID: name) else { break }
            // One that is there may be left of a slot that was removed, and open old copies.
            guard !FileSystem.exists(path), !slots.contains(where: { $0.keyFile == path }) else {
                continue
            }
            return path
        }
        throw .noPlaceForKeyFile
    }
}
