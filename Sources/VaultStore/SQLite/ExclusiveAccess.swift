internal import Platform

extension VaultFile {
    /// Seconds to wait for the refreshes in flight: longer than one may take.
    private static let accessLimit = 60.0

    /// Runs `body` while no refresh is in flight, in any process, and none begins.
    ///
    /// What is done to the whole vault needs this: new keys, a restore, a migration.
    ///
    /// - Throws: `StoreError.inUse` when the refreshes in flight do not end in time.
    package static func withoutRefreshes<Result>(
        of location: VaultLocation,
        limit: Double = accessLimit,
        _ body: () throws -> Result
    ) throws -> Result {
        let file: FileLock
        do {
            file = try FileLock(path: location.lock)
        } catch {
            throw StoreError.file(path: location.lock, error)
        }
        let end = Uptime.seconds() + limit
        try take(.maintenance, of: file, until: end)
        defer { file.unlock(.maintenance) }
        try take(.allAccounts, of: file, until: end)
        defer { file.unlock(.allAccounts) }
        return try body()
    }

    private static func take(
        _ range: FileLock.Range,
        of file: FileLock,
        until end: Double
    ) throws {
        while try !file.tryLock(range) {
            guard Uptime.seconds() < end else { throw StoreError.inUse }
            Pause.milliseconds(10)
        }
    }
}
