import FoundationEssentials
internal import Glibc
import Platform
import Testing

@testable import VaultStore

@Suite struct KeyFileTests {
    /// What is at the key file's path, and why it does not open the vault.
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let content: [UInt8]?
        let reason: @Sendable (String) -> StoreError.LockReason
    }

    @Test(arguments: [
        Row(testDescription: "nothing", content: nil) { .keyFileMissing(path: $0) },
        Row(testDescription: "no byte", content: []) { .keyFileMalformed(path: $0) },
        Row(testDescription: "a byte less", content: [UInt8](repeating: 1, count: 31)) {
            .keyFileMalformed(path: $0)
        },
        Row(testDescription: "a byte more", content: [UInt8](repeating: 1, count: 33)) {
            .keyFileMalformed(path: $0)
        },
        Row(testDescription: "a mebibyte", content: [UInt8](repeating: 1, count: 1 << 20)) {
            .keyFileMalformed(path: $0)
        },
        Row(testDescription: "another key", content: [UInt8](repeating: 1, count: 32)) {
            .keyFileWrong(path: $0)
        },
    ])
    func whatIsNotTheKeyDoesNotOpen(_ row: Row) async throws {
        try await withTemporaryVault { vault in
            _ = try vault.open().insert(Fixture.account("work"))
            let path = vault.folder + "/tried.key"
            if let content = row.content { try FileSystem.writeNew(path, content.span) }
            let file = try VaultFile(vault.location)
            #expect(throws: StoreError.locked(row.reason(path))) {
                try file.unlock(with: .keyFileAt(path: path))
            }
            #expect(!file.isUnlocked)
            #expect(throws: StoreError.self) { try file.account(named: "work") }
            // A failure leaves the right key its chance.
            try file.unlock(with: .keyFileAt(path: vault.keyFile))
            #expect(try file.account(named: "work").tokens == Fixture.tokens("work"))
        }
    }

    @Test func everyByteOfTheKeyCounts() async throws {
        try await withTemporaryVault { vault in
            let key = bytes(of: vault.keyFile)
            let file = try VaultFile(vault.location)
            for index in key.indices {
                var other = key
                other[index] ^= 1
                let path = "\(vault.folder)/\(index).key"
                try FileSystem.writeNew(path, other.span)
                #expect(throws: StoreError.locked(.keyFileWrong(path: path))) {
                    try file.unlock(with: .keyFileAt(path: path))
                }
            }
        }
    }

    @Test func theVaultKnowsWhereItsKeyFileIs() async throws {
        try await withTemporaryVault { vault in
            let file = try VaultFile(vault.location)
            try file.unlock(with: .keyFile)
            #expect(file.isUnlocked)
            let moved = vault.folder + "/moved.key"
            try FileManager.default.moveItem(atPath: vault.keyFile, toPath: moved)
            let again = try VaultFile(vault.location)
            #expect(throws: StoreError.locked(.keyFileMissing(path: vault.keyFile))) {
                try again.unlock(with: .keyFile)
            }
            try again.unlock(with: .keyFileAt(path: moved))
        }
    }

    @Test func aLockedVaultStillShowsItsHints() async throws {
        try await withTemporaryVault { vault in
            _ = try vault.open().insert(Fixture.account("work"))
            let file = try VaultFile(vault.location)
            #expect(try file.hints(after: nil, limit: 9).map(\.name) == ["work"])
            #expect(try file.due(before: .distantFuture, limit: 9).count == 1)
            #expect(throws: StoreError.self) { try file.selectedAccount() }
            #expect(throws: StoreError.self) { try file.insert(Fixture.account("home")) }
            #expect(throws: StoreError.self) { try file.select("work") }
            #expect(throws: StoreError.self) { try file.remove("work") }
            #expect(try file.accountCount() == 1)
        }
    }

    /// How a key file lies there, by name so that another process can look it up.
    enum Place: String, CaseIterable, Codable, Sendable {
        case readOnlyForUs, rootsThroughLinks, rootsAndReadable, rootsAndWritable
        case rootsOnAWritableMount, linkOnAWritableMount, credential, credentialForAll,
            nearCredential

        var isAccepted: Bool {
            [.readOnlyForUs, .rootsThroughLinks, .rootsAndReadable, .credential].contains(self)
        }
    }

    /// Puts a key where a container or service manager would, which takes root.
    @Test(arguments: Place.allCases)
    func aKeyMayBeGivenByRootWhereNobodyCanChangeIt(_ place: Place) async {
        await #expect(processExitsWith: .success) { [place = place as Place] in
            guard geteuid() == 0 else { return }
            try inTemporaryFolder { folder in
                chmod(folder, 0o755)
                let directory = folder + "/secrets"
                mkdir(directory, 0o755)
                let path = directory + "/vault.key"
                let mount = ["mount", "-t", "tmpfs", "-o", "mode=755", "tmpfs", directory]
                guard try ChildProcess.run(mount, folder: folder).status == 0 else { return }
                defer { _ = try? ChildProcess.run(["umount", "-l", directory], folder: folder) }
                try Self.fill(directory, as: place)
                if ![.rootsOnAWritableMount, .linkOnAWritableMount].contains(place) {
                    let words = ["mount", "-o", "remount,ro", directory]
                    #expect(try ChildProcess.run(words, folder: folder).status == 0)
                }
                // Unmounting takes root again.
                #expect(setegid(65_534) == 0 && seteuid(65_534) == 0)
                defer { seteuid(0) }
                if place.isAccepted {
                    _ = try KeyFile.read(path)
                } else {
                    #expect(throws: PermissionProblem.self) { _ = try KeyFile.read(path) }
                }
            }
        }
    }

    private static func fill(_ directory: String, as place: Place) throws {
        let path = directory + "/vault.key"
        let isLink = [.rootsThroughLinks, .linkOnAWritableMount].contains(place)
        if isLink {
            mkdir(directory + "/..1", 0o755)
            // Another test's umask may be in force.
            chmod(directory + "/..1", 0o755)
            symlink("..1", directory + "/..data")
            symlink("..data/vault.key", path)
        }
        let real = isLink ? directory + "/..1/vault.key" : path
        try FileSystem.writeNew(real, [UInt8](repeating: 7, count: 32).span)
        let mode: mode_t =
            switch place {
            case .readOnlyForUs: 0o400
            case .rootsAndWritable: 0o664
            case .credential: 0o440
            default: 0o644
            }
        chmod(real, mode)
        switch place {
        case .readOnlyForUs: chown(real, 65_534, 65_534)
        // Credentials are not always on a mount of their own.
        case .credential, .credentialForAll:
            setenv("CREDENTIALS_DIRECTORY", directory, 1)
            chown(real, place == .credential ? 0 : 65_534, 65_534)
        case .nearCredential:
            setenv("CREDENTIALS_DIRECTORY", directory + "/vault", 1)
            chown(real, 4242, 4242)
        default: break
        }
    }
}
