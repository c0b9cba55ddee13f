internal import FoundationEssentials

/// Runs `body` with the path of a file that does not exist, in a folder that goes afterwards.
func withTemporaryPath<Result>(
    _ body: (String) async throws -> Result
) async throws -> Result {
    let folder = FileManager.default.temporaryDirectory
        .appending(path: "vault-platform-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try await body(folder.appending(path: "vault.lock").path)
}

/// The descriptors of this process that are open on a file.
func descriptors(openOn path: String) throws -> [Int32] {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
        .filter { number in
            let link = "/proc/self/fd/\(number)"
            return (try? FileManager.default.destinationOfSymbolicLink(atPath: link)) == path
        }
        .compactMap { Int32($0) }
}
