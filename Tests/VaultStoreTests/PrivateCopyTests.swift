internal import Glibc
import Platform
import Testing

@testable import VaultStore

@Suite struct PrivateCopyTests {
    private func withFolders(
        _ body: (_ shared: String, _ victim: String) throws -> Void
    )
        async throws
    {
        try await withTemporaryFolder { folder in
            let (shared, victim) = (folder + "/shared", folder + "/victim")
            for path in [shared, victim] { try FileSystem.makeNewDirectory(path) }
            try body(shared, victim)
        }
    }

    private func add(_ names: String..., to directory: String) throws {
        for name in names { try FileSystem.writeNew(directory + "/" + name, [UInt8]().span) }
    }

    @Test func leftoversAreRemoved() async throws {
        try await withFolders { shared, _ in
            let leftover = shared + "/.copy-0123"
            try FileSystem.makeNewDirectory(leftover)
            try add("copy.lock", "vault.db", "vault.db-journal", "vault.lock", to: leftover)
            _ = try PrivateCopy(in: shared)
            #expect(try FileSystem.entries(of: shared) == [])
        }
    }

    @Test func leftoversAreNotLookedForBehindALink() async throws {
        try await withFolders { shared, victim in
            try add("copy.lock", "vault.db", "precious", to: victim)
            #expect(symlink(victim, shared + "/.copy-0123") == 0)
            _ = try PrivateCopy(in: shared)
            #expect(try FileSystem.entries(of: victim) == ["copy.lock", "precious", "vault.db"])
        }
    }

    @Test func onlyWhatThisProgramPutsThereIsRemoved() async throws {
        try await withFolders { shared, victim in
            let leftover = shared + "/.copy-0123"
            try FileSystem.makeNewDirectory(leftover)
            try FileSystem.makeNewDirectory(leftover + "/deep")
            try add("copy.lock", "mine", to: leftover)
            try add("precious", to: leftover + "/deep")
            #expect(symlink(victim, leftover + "/vault.db") == 0)
            _ = try PrivateCopy(in: shared)
            #expect(try FileSystem.entries(of: leftover) == ["deep", "mine"])
            #expect(FileSystem.exists(leftover + "/deep/precious"))
            #expect(FileSystem.exists(victim))
        }
    }

    @Test func aDirectoryThatOthersCanReachIsNoLeftover() async throws {
        try await withFolders { shared, _ in
            let other = shared + "/.copy-0123"
            try FileSystem.makeNewDirectory(other)
            try add("copy.lock", to: other)
            #expect(chmod(other, 0o755) == 0)
            _ = try PrivateCopy(in: shared)
            #expect(FileSystem.exists(other + "/copy.lock"))
        }
    }

    @Test func aDirectoryThatOthersCanWriteIsRefusedUnlessSticky() async throws {
        try await withFolders { shared, _ in
            #expect(chmod(shared, 0o777) == 0)
            #expect(
                throws: PermissionProblem(path: shared, found: .parentWritable(mode: 0o777))
            ) { try PrivateCopy(in: shared) }
            #expect(chmod(shared, 0o1777) == 0)
            _ = try PrivateCopy(in: shared)
        }
    }
}
