import FoundationEssentials
internal import Glibc
import Platform
import Testing

@testable import VaultStore

/// Whoever can rename an entry on the way to a vault can put another in its place.
@Suite struct ParentDirectoryTests {
    /// A folder of root's with the parts of a way in it, of which one is wrong.
    private static func inFolderOfRoot(_ body: (String) throws -> Void) throws {
        guard geteuid() == 0 else { return }
        try inTemporaryFolder { folder in
            chmod(folder, 0o755)
            try body(folder)
        }
    }

    private static func make(_ path: String, _ mode: mode_t, owner: uid_t) {
        #expect(mkdir(path, 0o700) == 0)
        #expect(chown(path, owner, owner) == 0)
        #expect(chmod(path, mode) == 0)
    }

    private static let stranger: uid_t = 4242
    private static let user: uid_t = 65_534

    @Test func aParentOfAnotherUserIsRefusedWhateverItsMode() async {
        await #expect(processExitsWith: .success) {
            try Self.inFolderOfRoot { folder in
                Self.make("\(folder)/theirs", 0o755, owner: Self.stranger)
                Self.make("\(folder)/theirs/vault", 0o700, owner: Self.user)
                becomeUnprivileged()
                let problem = PermissionProblem(
                    path: "\(folder)/theirs",
                    found: .parentOwner(Self.stranger)
                )
                #expect(throws: problem) {
                    try FilePermissions.checkDirectory("\(folder)/theirs/vault")
                }
            }
        }
    }

    @Test func rootAndOurselvesAreTrusted() async {
        await #expect(processExitsWith: .success) {
            try Self.inFolderOfRoot { folder in
                Self.make("\(folder)/roots", 0o755, owner: 0)
                Self.make("\(folder)/roots/ours", 0o755, owner: Self.user)
                Self.make("\(folder)/roots/ours/vault", 0o700, owner: Self.user)
                becomeUnprivileged()
                try FilePermissions.checkDirectory("\(folder)/roots/ours/vault")
            }
        }
    }

    @Test func theWayToALinkIsLookedAtToo() async {
        await #expect(processExitsWith: .success) {
            becomeUnprivileged()
            try inTemporaryFolder { folder in
                let vault = TemporaryVault(folder: folder)
                try vault.create()
                for name in ["open", "closed"] { mkdir("\(folder)/\(name)", 0o700) }
                symlink(vault.location.directory, "\(folder)/open/link")
                symlink("../open/link", "\(folder)/closed/link")
                symlink(folder, "\(folder)/closed/folder")
                for path in ["open/link", "closed/link", "closed/folder/open/link"] {
                    _ = try VaultFile(VaultLocation(directory: "\(folder)/\(path)"))
                }
                chmod("\(folder)/open", 0o777)
                let problem = PermissionProblem(
                    path: "\(folder)/open",
                    found: .parentWritable(mode: 0o777)
                )
                for path in ["open/link", "closed/link", "closed/folder/open/link"] {
                    #expect(throws: problem) {
                        try VaultFile(VaultLocation(directory: "\(folder)/\(path)"))
                    }
                }
                // What no step of the way touches does not matter.
                _ = try VaultFile(vault.location)
            }
        }
    }

    @Test func aLinkOfAnotherUserIsNotFollowed() async {
        await #expect(processExitsWith: .success) {
            try Self.inFolderOfRoot { folder in
                Self.make("\(folder)/shared", 0o1777, owner: 0)
                Self.make("\(folder)/vault", 0o700, owner: Self.user)
                symlink("\(folder)/vault", "\(folder)/shared/link")
                #expect(lchown("\(folder)/shared/link", Self.stranger, Self.stranger) == 0)
                becomeUnprivileged()
                let problem = PermissionProblem(
                    path: "\(folder)/shared/link",
                    found: .parentOwner(Self.stranger)
                )
                #expect(throws: problem) {
                    try FilePermissions.checkDirectory("\(folder)/shared/link")
                }
            }
        }
    }

    @Test func aCircleOfLinksHasAnEnd() async throws {
        try await withTemporaryFolder { folder in
            symlink("\(folder)/two", "\(folder)/one")
            symlink("\(folder)/one", "\(folder)/two")
            let location = VaultLocation(directory: "\(folder)/one")
            let error = StoreError.file(path: location.directory, .tooManyLinks)
            #expect(throws: error) { try VaultFile(location) }
        }
    }

    @Test func dotsAndSlashesLeadWhereTheyAlwaysDid() async throws {
        try await withTemporaryVault { vault in
            mkdir("\(vault.folder)/other", 0o700)
            for path in ["//vault/", "/./vault/.", "/other/../vault", "/other/..//./vault//"] {
                _ = try VaultFile(VaultLocation(directory: vault.folder + path))
            }
        }
    }
}
