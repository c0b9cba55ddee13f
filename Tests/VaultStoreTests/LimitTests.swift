import FoundationEssentials
internal import Glibc
import Platform
import Testing
import VaultCrypto

@testable import VaultStore

/// Where the system allows less than a write needs: a clear error, and nothing changed.
@Suite struct LimitTests {
    private static func withVault(_ body: (TemporaryVault) throws -> Void) throws {
        try inTemporaryFolder { folder in
            let vault = TemporaryVault(folder: folder)
            try vault.create()
            _ = try vault.open().insert(Fixture.account("work"))
            try body(vault)
        }
    }

    /// No write gets through, and every read does.
    private static func expectReadOnly(_ vault: TemporaryVault) throws {
        let before = bytes(of: vault.database)
        let file = try vault.open()
        #expect(try file.account(named: "work").tokens == Fixture.tokens("work"))
        let writes: [(String, () throws -> Void)] = [
            ("insert", { _ = try file.insert(Fixture.account("home")) }),
            ("remove", { try file.remove("work") }),
            ("prove", { try file.proveWritable() }),
        ]
        for (name, write) in writes {
            #expect(throws: (any Error).self, "\(name)") { try write() }
        }
        #expect(try file.account(named: "work").tokens == Fixture.tokens("work"))
        #expect(bytes(of: vault.database) == before)
    }

    @Test("F-13b: a limit on the size of files") func fileSize() async {
        await #expect(processExitsWith: .success) {
            signal(SIGXFSZ, SIG_IGN)
            try Self.withVault { vault in
                try withFileSizeLimit(1024) { try Self.expectReadOnly(vault) }
                _ = try vault.open().insert(Fixture.account("home"))
            }
        }
    }

    @Test("F-13b: no descriptor left", arguments: [0, 1, 2, 3])
    func descriptors(_ left: Int) async {
        await #expect(processExitsWith: .success) { [left = left as Int] in
            try Self.withVault { vault in
                let before = bytes(of: vault.database)
                var taken: [Int32] = []
                while taken.last.map({ $0 >= 0 }) ?? true { taken.append(dup(0)) }
                for descriptor in taken.filter({ $0 >= 0 }).suffix(left) { close(descriptor) }
                do {
                    _ = try vault.open().insert(Fixture.account("home"))
                    #expect(left > 1)
                } catch {
                    #expect(left < 3)
                }
                for descriptor in taken where descriptor >= 0 { close(descriptor) }
                let file = try vault.open()
                if try file.accountCount() == 1 { #expect(bytes(of: vault.database) == before) }
                #expect(try file.account(named: "work").tokens == Fixture.tokens("work"))
            }
        }
    }

    @Test("F-33: a directory that takes no file") func readOnlyDirectory() async {
        await #expect(processExitsWith: .success) {
            becomeUnprivileged()
            try Self.withVault { vault in
                // Without a journal from before, a write wants to make one.
                try FileSystem.remove(vault.journal)
                chmod(vault.location.directory, 0o500)
                defer { chmod(vault.location.directory, 0o700) }
                try Self.expectReadOnly(vault)
            }
        }
    }

    @Test("F-33: a file that cannot be written") func readOnlyFile() async {
        await #expect(processExitsWith: .success) {
            becomeUnprivileged()
            try Self.withVault { vault in
                chmod(vault.database, 0o400)
                try Self.expectReadOnly(vault)
            }
        }
    }

    @Test("F-33: a mount that cannot be written") func readOnlyMount() async {
        await #expect(processExitsWith: .success) {
            guard geteuid() == 0 else { return }
            try Self.withVault { vault in
                let directory = vault.location.directory
                let folder = vault.folder
                let bind = ["mount", "--bind", directory, directory]
                guard try ChildProcess.run(bind, folder: folder).status == 0 else { return }
                defer { _ = try? ChildProcess.run(["umount", "-l", directory], folder: folder) }
                let remount = ["mount", "-o", "remount,bind,ro", directory]
                guard try ChildProcess.run(remount, folder: folder).status == 0 else { return }
                try Self.expectReadOnly(vault)
            }
        }
    }

    @Test("F-33: an immutable file") func immutableFile() async {
        await #expect(processExitsWith: .success) {
            guard geteuid() == 0 else { return }
            try Self.withVault { vault in
                let words = ["chattr", "+i", vault.database]
                // Not every file system has the flag.
                guard try ChildProcess.run(words, folder: vault.folder).status == 0 else { return }
                defer {
                    let undo = ["chattr", "-i", vault.database]
                    _ = try? ChildProcess.run(undo, folder: vault.folder)
                }
                try Self.expectReadOnly(vault)
            }
        }
    }

    @Test("F-13: a disk without room, and what is kept for that day") func fullDisk() async {
        await #expect(processExitsWith: .success) {
            guard geteuid() == 0 else { return }
            try inTemporaryFolder { folder in
                let directory = folder + "/disk"
                mkdir(directory, 0o700)
                let words = ["mount", "-t", "tmpfs", "-o", "size=1m,mode=700", "tmpfs", directory]
                guard try ChildProcess.run(words, folder: folder).status == 0 else { return }
                defer { _ = try? ChildProcess.run(["umount", "-l", directory], folder: folder) }
                let vault = TemporaryVault(folder: directory)
                try vault.create()
                let file = try vault.open()
                _ = try file.insert(Fixture.account("work"))
                let reserve = vault.location.reserve
                #expect(FileSystem.exists(reserve))
                Self.fill(directory + "/ballast")
                // In its place, again and again.
                for round in 0..<50 {
                    let account = try file.account(named: "work")
                    let claim = try file.claim(account, intent: Fixture.intent([]))
                    let hash = try file.spentTokenHash(of: Secret("spent \(round)"))
                    _ = try file.install(Fixture.pair("\(round)", spent: hash), for: claim)
                }
                // Growing takes the reserve, and ends with an error that changes nothing.
                var added = 0
                while added < 1000 {
                    let name = try #require(AccountName("account-\(added)"))
                    do { _ = try file.insert(Fixture.account(name)) } catch { break }
                    added += 1
                }
                #expect(added > 10 && added < 1000)
                #expect(!FileSystem.exists(reserve))
                #expect(try vault.open().accountCount() == added + 1)
                unlink(directory + "/ballast")
                _ = try file.insert(Fixture.account("last"))
                #expect(FileSystem.exists(reserve))
            }
        }
    }

    private static func fill(_ path: String) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL, 0o600)
        let bytes = [UInt8](repeating: 0, count: 4096)
        while write(descriptor, bytes, bytes.count) == bytes.count {}
        close(descriptor)
    }
}
