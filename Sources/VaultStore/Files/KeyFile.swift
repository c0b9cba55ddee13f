internal import Platform
internal import VaultCrypto

/// A key file: 32 random bytes, readable by its owner alone.
enum KeyFile {
    /// Where a service manager puts the key of a service that has one (systemd.exec(5),
    /// CREDENTIALS).
    static var credential: String? {
        Environment["CREDENTIALS_DIRECTORY"].map { $0 + "/vault.key" }
    }

    /// Reads one after checking who can reach it: the file that is checked is the one that is read.
    static func read(_ path: String) throws -> SecretBytes {
        do {
            let file = try open(path)
            // One byte more than a key tells a longer file from one.
            var bytes = try file.read(limit: KeyLength.key + 1)
            defer { wipe(&bytes) }
            guard bytes.count == KeyLength.key else {
                throw StoreError.locked(.keyFileMalformed(path: path))
            }
            return SecretBytes(copying: bytes.span)
        } catch let error as SystemError where error == .notFound {
            throw StoreError.locked(.keyFileMissing(path: path))
        } catch let error as SystemError {
            throw StoreError.file(path: path, error)
        }
    }

    private static func open(_ path: String) throws -> OpenFile {
        do {
            let file = try OpenFile(reading: path, followingLinks: false)
            guard !isGivenByRoot(file), !isCredential(path, file.status) else { return file }
            try FilePermissions.checkFile(path, file.status)
            return file
        } catch let error as SystemError where error == .tooManyLinks {
            let file = try OpenFile(reading: path, followingLinks: true)
            guard isGivenByRoot(file) else {
                throw PermissionProblem(path: path, found: .symbolicLink)
            }
            return file
        }
    }

    /// A container's secret: root's, where nobody can change it, whoever may read it there.
    private static func isGivenByRoot(_ file: borrowing OpenFile) -> Bool {
        file.isOnReadOnlyMount && file.status.owner == 0 && file.status.kind == .regular
            && file.status.permissions & 0o022 == 0
    }

    /// A service's credential may stay root's, and is let through to its user by an access list,
    /// whose mask shows in the place of the group's bits (systemd.exec(5), CREDENTIALS).
    private static func isCredential(_ path: String, _ status: FileStatus) -> Bool {
        guard let directory = Environment["CREDENTIALS_DIRECTORY"],
            path.hasPrefix(directory + "/"), !path.dropFirst(directory.utf8.count + 1).contains("/")
        else { return false }
        return status.kind == .regular && status.permissions & 0o037 == 0
            && [0, FileSystem.currentUser].contains(status.owner)
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
