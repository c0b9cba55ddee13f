import FoundationEssentials
internal import Glibc
import Platform
import Testing

@testable import VaultStore

/// Each row in a process of its own, as a user for whom permissions mean something.
@Suite struct FilePermissionTests {
    /// What is done to a vault, by name so that another process can look it up.
    enum Change: String, CaseIterable, Codable, Sendable {
        case directory0755, directory0770, directory0701
        case database0644, database0640, database0601
        case journal0644, lock0644, key0644
        case databaseLink, journalLink, keyLink
        case databaseHardLink, lockHardLink, keyHardLink
        case databaseFIFO, databaseDirectory, lockFIFO, keyFIFO
        case directoryIsAFile
        case parent0777, parent0770
        case reserve0644, reserveLink, reserveHardLink

        func make(in vault: TemporaryVault) throws {
            switch self {
            case .directory0755: try change(vault.location.directory, 0o755)
            case .directory0770: try change(vault.location.directory, 0o770)
            case .directory0701: try change(vault.location.directory, 0o701)
            case .database0644: try change(vault.database, 0o644)
            case .database0640: try change(vault.database, 0o640)
            case .database0601: try change(vault.database, 0o601)
            case .journal0644: try change(vault.journal, 0o644)
            case .lock0644: try change(vault.location.lock, 0o644)
            case .key0644: try change(vault.keyFile, 0o644)
            case .databaseLink: try moveAway(vault.database, leaving: .link)
            case .journalLink: try moveAway(vault.journal, leaving: .link)
            case .keyLink: try moveAway(vault.keyFile, leaving: .link)
            case .databaseHardLink: try link(vault.database)
            case .lockHardLink: try link(vault.location.lock)
            case .keyHardLink: try link(vault.keyFile)
            case .databaseFIFO: try moveAway(vault.database, leaving: .fifo)
            case .databaseDirectory: try moveAway(vault.database, leaving: .directory)
            case .lockFIFO: try moveAway(vault.location.lock, leaving: .fifo)
            case .keyFIFO: try moveAway(vault.keyFile, leaving: .fifo)
            case .directoryIsAFile: try moveAway(vault.location.directory, leaving: .file)
            case .parent0777: try change(vault.folder, 0o777)
            case .parent0770: try change(vault.folder, 0o770)
            case .reserve0644: try change(vault.location.reserve, 0o644)
            case .reserveLink: try moveAway(vault.location.reserve, leaving: .link)
            case .reserveHardLink: try link(vault.location.reserve)
            }
        }

        func problem(in vault: TemporaryVault) -> PermissionProblem {
            let directory = vault.location.directory
            let (path, found): (String, PermissionProblem.Found) =
                switch self {
                case .directory0755: (directory, .mode(0o755, wanted: 0o700))
                case .directory0770: (directory, .mode(0o770, wanted: 0o700))
                case .directory0701: (directory, .mode(0o701, wanted: 0o700))
                case .database0644: (vault.database, .mode(0o644, wanted: 0o600))
                case .database0640: (vault.database, .mode(0o640, wanted: 0o600))
                case .database0601: (vault.database, .mode(0o601, wanted: 0o600))
                case .journal0644: (vault.journal, .mode(0o644, wanted: 0o600))
                case .lock0644: (vault.location.lock, .mode(0o644, wanted: 0o600))
                case .key0644: (vault.keyFile, .mode(0o644, wanted: 0o600))
                case .databaseLink: (vault.database, .symbolicLink)
                case .journalLink: (vault.journal, .symbolicLink)
                case .keyLink: (vault.keyFile, .symbolicLink)
                case .databaseHardLink: (vault.database, .hardLinks(2))
                case .lockHardLink: (vault.location.lock, .hardLinks(2))
                case .keyHardLink: (vault.keyFile, .hardLinks(2))
                case .databaseFIFO, .databaseDirectory: (vault.database, .notARegularFile)
                case .lockFIFO: (vault.location.lock, .notARegularFile)
                case .keyFIFO: (vault.keyFile, .notARegularFile)
                case .directoryIsAFile: (directory, .notADirectory)
                case .parent0777: (vault.folder, .parentWritable(mode: 0o777))
                case .parent0770: (vault.folder, .parentWritable(mode: 0o770))
                case .reserve0644: (vault.location.reserve, .mode(0o644, wanted: 0o600))
                case .reserveLink: (vault.location.reserve, .symbolicLink)
                case .reserveHardLink: (vault.location.reserve, .hardLinks(2))
                }
            return PermissionProblem(path: path, found: found)
        }

        private enum Remainder { case link, fifo, directory, file }

        private func change(_ path: String, _ mode: mode_t) throws {
            guard chmod(path, mode) == 0 else { throw SystemError(number: errno) }
        }

        private func link(_ path: String) throws {
            guard Glibc.link(path, path + ".other") == 0 else { throw SystemError(number: errno) }
        }

        private func moveAway(_ path: String, leaving remainder: Remainder) throws {
            guard rename(path, path + ".away") == 0 else { throw SystemError(number: errno) }
            let failed =
                switch remainder {
                case .link: symlink(path + ".away", path)
                case .fifo: mkfifo(path, 0o600)
                case .directory: mkdir(path, 0o700)
                case .file: creat(path, 0o600) < 0 ? Int32(-1) : 0
                }
            guard failed == 0 else { throw SystemError(number: errno) }
        }
    }

    @Test(arguments: Change.allCases)
    func whatOthersCouldReachIsNotOpened(_ change: Change) async {
        await #expect(processExitsWith: .success) { [change = change as Change] in
            becomeUnprivileged()
            try inTemporaryFolder { folder in
                let vault = TemporaryVault(folder: folder)
                try vault.create()
                _ = try vault.open().insert(Fixture.account("work"))
                _ = try FileLock(path: vault.location.lock)
                try change.make(in: vault)
                #expect(throws: change.problem(in: vault)) { try vault.open() }
            }
        }
    }

    @Test func aSharedFolderIsFineWhereOnlyOwnersMayRename() async {
        await #expect(processExitsWith: .success) {
            becomeUnprivileged()
            try inTemporaryFolder { folder in
                let vault = TemporaryVault(folder: folder)
                try vault.create()
                chmod(folder, 0o1777)
                _ = try vault.open()
            }
        }
    }

    @Test func aDirectoryMayBeReachedThroughALink() async {
        await #expect(processExitsWith: .success) {
            becomeUnprivileged()
            try inTemporaryFolder { folder in
                let vault = TemporaryVault(folder: folder)
                try vault.create()
                symlink(vault.location.directory, folder + "/link")
                _ = try VaultFile(VaultLocation(directory: folder + "/link"))
                chmod(vault.location.directory, 0o750)
                let problem = PermissionProblem(
                    path: try FileSystem.resolved(vault.location.directory),
                    found: .mode(0o750, wanted: 0o700)
                )
                #expect(throws: problem) {
                    try VaultFile(VaultLocation(directory: folder + "/link"))
                }
            }
        }
    }

    @Test func whatBelongsToAnotherUserIsNotOpened() async {
        await #expect(processExitsWith: .success) {
            becomeUnprivileged()
            let found = PermissionProblem.Found.owner(0, wanted: geteuid())
            #expect(throws: PermissionProblem(path: "/usr", found: found)) {
                try VaultFile(VaultLocation(directory: "/usr"))
            }
            try inTemporaryFolder { folder in
                let vault = TemporaryVault(folder: folder)
                try vault.create()
                #expect(throws: PermissionProblem(path: "/etc/passwd", found: found)) {
                    try VaultFile(vault.location).unlock(with: .keyFileAt(path: "/etc/passwd"))
                }
            }
        }
    }

    @Test func whatCannotBeReachedIsNamedWithItsError() async {
        await #expect(processExitsWith: .success) {
            becomeUnprivileged()
            try inTemporaryFolder { folder in
                let vault = TemporaryVault(folder: folder)
                try vault.create()
                let directory = vault.location.directory
                chmod(directory, 0o600)
                #expect(throws: StoreError.file(path: directory, .accessDenied)) {
                    try vault.open()
                }
                chmod(directory, 0o700)
                chmod(vault.keyFile, 0o000)
                #expect(throws: StoreError.file(path: vault.keyFile, .accessDenied)) {
                    try vault.open()
                }
            }
        }
    }

    @Test func aFileThatCannotBeWrittenCanStillBeRead() async {
        await #expect(processExitsWith: .success) {
            becomeUnprivileged()
            try inTemporaryFolder { folder in
                let vault = TemporaryVault(folder: folder)
                try vault.create()
                _ = try vault.open().insert(Fixture.account("work"))
                chmod(vault.database, 0o400)
                let file = try vault.open()
                #expect(try file.account(named: "work").tokens == Fixture.tokens("work"))
                #expect(throws: (any Error).self) { try file.remove("work") }
            }
        }
    }

    @Test func noDirectoryIsNoVault() async throws {
        try await withTemporaryFolder { folder in
            let location = TemporaryVault(folder: folder).location
            #expect(throws: StoreError.noVault(path: location.directory)) {
                try VaultFile(location)
            }
            symlink(folder + "/nowhere", location.directory)
            #expect(throws: StoreError.noVault(path: location.directory)) {
                try VaultFile(location)
            }
        }
    }
}
