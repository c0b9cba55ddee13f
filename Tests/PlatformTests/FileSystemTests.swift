import FoundationEssentials
internal import Glibc
import Testing

@testable import Platform

@Suite struct FileSystemTests {
    @Test(arguments: [
        ("key", ""), ("there/key", "/there"), ("there/../key", ""), ("nowhere/key", "/nowhere"),
        ("nowhere/../there/key", "/there"), ("nowhere/../link/deep/key", "/there/deep"),
        ("link/../key", ""), ("./there/./key", "/there"), ("there//key", "/there"),
    ])
    func aPlaceIsWhereItsNamesLead(_ path: String, _ place: String) throws {
        try withTemporaryFolder { folder in
            mkdir("\(folder)/there", 0o700)
            symlink("\(folder)/there", "\(folder)/link")
            let found = try FileSystem.resolvedDirectory(above: "\(folder)/\(path)")
            #expect(found == folder + place)
        }
    }

    @Test func nothingIsAboveTheRoot() throws {
        #expect(try FileSystem.resolvedDirectory(above: "/key") == "/")
        #expect(try FileSystem.resolvedDirectory(above: "/../../nowhere/../key") == "/")
    }

    @Test func anAllocatedFileIsThereToTheLastByte() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/reserve"
            try FileSystem.allocate(path, size: 100_000)
            var found = stat()
            #expect(lstat(path, &found) == 0)
            #expect(found.st_size == 100_000)
            #expect(found.st_blocks * 512 >= 100_000)
            #expect(found.st_mode & 0o7777 == 0o600)
            #expect(throws: SystemError.exists) { try FileSystem.allocate(path, size: 1) }
        }
    }

    @Test func aMapOfTheWholeMachineIsTold() {
        #expect(UserNamespace.mapsEveryone("         0          0 4294967295\n"))
        #expect(!UserNamespace.mapsEveryone("      1000       1000          1\n"))
        #expect(!UserNamespace.mapsEveryone(""))
    }

    private func withTemporaryFolder(_ body: (String) throws -> Void) throws {
        let made = FileManager.default.temporaryDirectory
            .appending(path: "vault-platform-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(
            atPath: made,
            withIntermediateDirectories: false
        )
        defer { try? FileManager.default.removeItem(atPath: made) }
        try body(FileSystem.resolved(made))
    }
}
