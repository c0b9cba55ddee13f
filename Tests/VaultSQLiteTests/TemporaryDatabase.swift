internal import FoundationEssentials

/// Runs `body` with the path of a database that does not exist, in a folder that goes afterwards.
func withTemporaryDatabase<Result>(
    _ body: (String) async throws -> Result
) async throws -> Result {
    let folder = FileManager.default.temporaryDirectory
        .appending(path: "vault-sqlite-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try await body(folder.appending(path: "test.db").path)
}
