internal import Platform
internal import VaultSQLite

extension VaultFile {
    /// Copies the vault, as of one moment, into one file (0600 from its first byte) that must not
    /// exist yet.
    ///
    /// It gets its name once it has been looked at, record by record where the keys are here, and is
    /// on disk. Whatever goes wrong before, nothing of it is left.
    ///
    /// - Throws: `StoreError.unsound` for a vault that is damaged, unless it `mayBeDamaged`. Wrong
    ///   hints of tags are in the report and damage nothing.
    @discardableResult
    package func backup(
        to given: String,
        mayBeDamaged: Bool = false
    ) throws -> VerificationReport {
        let path = FileSystem.absolute(given)
        guard !FileSystem.exists(path) else { throw StoreError.fileExists(path: path) }
        let copy = try PrivateCopy(in: Self.directory(of: path))
        try copy.fill(from: connection)
        let report = try VaultFile(copy.location, keys: unlockedKeys).verify()
        guard report.isRestorable || mayBeDamaged else {
            throw StoreError.unsound(path: path, report)
        }
        do {
            try FileSystem.install(copy.location.database, as: path)
        } catch let error where error == .exists {
            throw StoreError.fileExists(path: path)
        } catch {
            throw StoreError.file(path: path, error)
        }
        return report
    }

    private static func directory(of path: String) throws -> String {
        do {
            let end = path.lastIndex(of: "/") ?? path.startIndex
            return try FileSystem.resolved(end == path.startIndex ? "/" : String(path[..<end]))
        } catch {
            throw StoreError.file(path: path, error)
        }
    }
}
