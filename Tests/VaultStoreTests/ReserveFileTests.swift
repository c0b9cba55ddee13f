import FoundationEssentials
internal import Glibc
import Platform
import Testing

@testable import VaultStore

@Suite struct ReserveFileTests {
    private static let size: Int64 = 256 * 1024

    @Test func theFirstWriteMakesItAndReadsDoNot() async throws {
        try await withTemporaryVault { vault in
            let file = try vault.open()
            _ = try file.accountCount()
            #expect(!FileSystem.exists(vault.location.reserve))
            _ = try file.insert(Fixture.account("work"))
            let status = try FileSystem.status(of: vault.location.reserve)
            #expect(status.size == Self.size)
            #expect(status.permissions == 0o600)
            var found = stat()
            #expect(lstat(vault.location.reserve, &found) == 0)
            #expect(found.st_blocks * 512 >= Self.size)
        }
    }

    @Test func oneThatIsHalfMadeIsMadeAnew() async throws {
        try await withTemporaryVault { vault in
            try FileSystem.writeNew(vault.location.reserve, [1, 2, 3].span)
            _ = try vault.open().insert(Fixture.account("work"))
            #expect(try FileSystem.status(of: vault.location.reserve).size == Self.size)
        }
    }

    @Test func whatOthersCanReadIsNoReserve() async throws {
        try await withTemporaryVault { vault in
            _ = try vault.open().insert(Fixture.account("work"))
            chmod(vault.location.reserve, 0o644)
            let problem = PermissionProblem(
                path: vault.location.reserve,
                found: .mode(0o644, wanted: 0o600)
            )
            #expect(throws: problem) { try vault.open() }
        }
    }

    @Test func withoutOneTheVaultWorks() async throws {
        try await withTemporaryVault { vault in
            try FileSystem.makeDirectories(vault.location.directory + "/elsewhere")
            let file = try vault.open()
            try FileSystem.makeDirectories(vault.location.reserve)
            _ = try file.insert(Fixture.account("work"))
            #expect(try file.accountCount() == 1)
        }
    }

    @Test("F-13: a full disk gets the room back, and the write goes through")
    func aFullDiskIsGivenTheReserve() async {
        await #expect(processExitsWith: .success) {
            FaultyDisk.install()
            try inTemporaryFolder { folder in
                let vault = TemporaryVault(folder: folder)
                try vault.create()
                let file = try vault.open()
                _ = try file.insert(Fixture.account("home"))
                let reserve = vault.location.reserve
                FaultyDisk.set(
                    FaultyDisk.Fault(
                        call: .write,
                        times: 1000,
                        code: FaultyDisk.fullDisk,
                        whileThereIs: reserve
                    )
                )
                _ = try file.insert(Fixture.account("work"))
                // Not made anew at once, but with the next write that finds room.
                #expect(!FileSystem.exists(reserve))
                FaultyDisk.heal()
                _ = try file.insert(Fixture.account("third"))
                #expect(FileSystem.exists(reserve))
                #expect(try vault.open().accountCount() == 3)
            }
        }
    }

    @Test("F-13: a disk that is full all the same is an error, and nothing changed")
    func aDiskThatStaysFull() async {
        await #expect(processExitsWith: .success) {
            FaultyDisk.install()
            try inTemporaryFolder { folder in
                let vault = TemporaryVault(folder: folder)
                try vault.create()
                let file = try vault.open()
                _ = try file.insert(Fixture.account("home"))
                for kind in [FaultyDisk.Kind.journal, .database] {
                    let before = bytes(of: vault.database)
                    FaultyDisk.set(
                        FaultyDisk.Fault(
                            call: .write,
                            kind: kind,
                            times: 1000,
                            code: FaultyDisk.fullDisk
                        )
                    )
                    #expect(throws: (any Error).self) { try file.insert(Fixture.account("work")) }
                    #expect(!FileSystem.exists(vault.location.reserve))
                    FaultyDisk.heal()
                    #expect(try vault.open().accountCount() == 1)
                    #expect(bytes(of: vault.database) == before)
                    try file.proveWritable()
                    #expect(FileSystem.exists(vault.location.reserve))
                }
            }
        }
    }
}
