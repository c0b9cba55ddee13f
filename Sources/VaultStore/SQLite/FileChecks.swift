internal import Platform

/// What is asked of a vault's files before any of them is opened.
extension VaultFile {
    /// Refuses a vault whose directory or files others can reach, or that is on a network.
    package static func checkFiles(of location: VaultLocation) throws {
        guard !location.isPrivateCopy else { return }
        do {
            try FilePermissions.checkDirectory(location.directory)
            try FilePermissions.checkFile(location.database)
        } catch let error as SystemError where error == .notFound {
            throw StoreError.noVault(path: location.directory)
        } catch let error as SystemError {
            throw StoreError.file(path: location.directory, error)
        }
        for path in [location.journal, location.lock, location.reserve] {
            try checkFileIfThere(path)
        }
        try NetworkFileSystem.check(location)
    }

    /// The same for a file that the first write to it makes.
    package static func checkFileIfThere(_ path: String) throws {
        do {
            try FilePermissions.checkFile(path)
        } catch let error as SystemError where error == .notFound {
            return
        } catch let error as SystemError {
            throw StoreError.file(path: path, error)
        }
    }
}
