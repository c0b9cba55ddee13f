internal import Platform
internal import VaultCrypto

/// A key file: 32 random bytes, readable by its owner alone.
enum KeyFile {
    /// Where a service manager puts the key of a service that has one (systemd.exec(5),
    /// CREDENTIALS).
    static var credential: String? {
        Environment["CREDENTIALS_DIRECTORY"].map { $0 + "/vault.key" }
    }

    /// Reads one after checking who can reach it.
    static func read(_ path: String) throws -> SecretBytes {
        do {
            try FilePermissions.checkFile(path)
        } catch let error as SystemError where error == .notFound {
            throw StoreError.locked(.keyFileMissing(path: path))
        } catch let error as SystemError {
            throw StoreError.file(path: path, error)
        }
        // One byte more than a key tells a longer file from one.
        var bytes: [UInt8]
        do {
            bytes = try FileSystem.read(path, limit: KeyLength.key + 1)
        } catch {
            throw StoreError.file(path: path, error)
        }
        defer { wipe(&bytes) }
        guard bytes.count == KeyLength.key else {
            throw StoreError.locked(.keyFileMalformed(path: path))
        }
        return SecretBytes(copying: bytes.span)
    }

    /// Makes one, durably, with the directories above it.
    ///
    /// An existing key file is used as it is. A new one gets its name once it is whole: cut short by
    /// a kill, it would be in the way of the next try.
    static func create(_ path: String) throws -> SecretBytes {
        if FileSystem.exists(path) { return try read(path) }
        do {
            if let slash = path.lastIndex(of: "/"), slash != path.startIndex {
                try FileSystem.makeDirectories(String(path[..<slash]))
            }
            let key = SecretBytes.random(count: KeyLength.key)
            let unfinished = "\(path).\(Randomness.bytes(count: 8).hexadecimal).new"
            defer { try? FileSystem.remove(unfinished) }
            try key.withSpan { bytes throws(SystemError) in
                try FileSystem.writeNew(unfinished, bytes)
            }
            try FileSystem.install(unfinished, as: path)
            return key
        } catch {
            throw StoreError.file(path: path, error)
        }
    }
}
