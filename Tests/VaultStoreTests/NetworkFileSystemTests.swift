import FoundationEssentials
internal import Glibc
import Platform
import Testing

@testable import VaultStore

@Suite struct NetworkFileSystemTests {
    /// A file system by its number and the type of its mount, and what it is called if refused.
    struct Row: Sendable, CustomTestStringConvertible {
        let type: UInt32
        let mount: String?
        let kind: String?

        init(_ type: UInt32, _ mount: String? = nil, _ kind: String? = nil) {
            (self.type, self.mount, self.kind) = (type, mount, kind)
        }

        var testDescription: String { "\(String(type, radix: 16)) \(mount ?? "")" }
    }

    private static let fuse: UInt32 = 0x6573_5546

    @Test(arguments: [
        // ext, XFS, Btrfs, tmpfs, overlay, ZFS, F2FS, eCryptfs, ramfs, bcachefs.
        Row(0xEF53), Row(0x5846_5342), Row(0x9123_683E), Row(0x0102_1994), Row(0x794C_7630),
        Row(0x2FC1_2FC1), Row(0xF2F5_2010), Row(0xF15F), Row(0x8584_58F6), Row(0xCA45_1A4E),
        Row(0x6969, "nfs4", "nfs"), Row(0x517B, "smbfs", "smb"), Row(0xFF53_4D42, "cifs", "cifs"),
        Row(0xFE53_4D42, "cifs", "smb3"), Row(0x0102_1997, "9p", "9p"),
        Row(0x5346_414F, "afs", "afs"), Row(0x6B41_4653, "afs", "afs"),
        Row(0x00C3_6400, "ceph", "ceph"), Row(0x0BD0_0BD0, "lustre", "lustre"),
        Row(fuse, "fuse.sshfs", "sshfs"), Row(fuse, "fuse.rclone", "rclone"),
        Row(fuse, "fuse.glusterfs", "glusterfs"), Row(fuse, "fuse.gvfsd-fuse", "gvfsd-fuse"),
        Row(fuse, "fuse.gocryptfs"), Row(fuse, "fuseblk"), Row(fuse, "fuse.bindfs"),
        Row(fuse, "virtiofs"), Row(fuse, "fuse"), Row(fuse, nil),
        // The mount's type counts only where the number says FUSE.
        Row(0xEF53, "fuse.sshfs"),
    ])
    func whatOtherMachinesReachIsKnown(_ row: Row) {
        #expect(NetworkFileSystem.kind(type: row.type) { row.mount } == row.kind)
    }

    @Test func theMountIsAskedOnlyAboutFUSE() {
        var asked = 0
        for type in [0xEF53, 0x6969, Self.fuse] as [UInt32] {
            _ = NetworkFileSystem.kind(type: type) {
                asked += 1
                return nil
            }
        }
        #expect(asked == 1)
    }

    @Test func aMountIsFoundByItsDevice() {
        let table = """
            22 1 259:2 / / rw,relatime shared:1 - ext4 /dev/nvme0n1p2 rw
            36 22 0:58 / /mnt/far rw,nosuid shared:9 master:3 - fuse.sshfs host:/ rw,user_id=1
            37 22 0:59 / /a\\040-\\040b rw - tmpfs - rw
            half a line 0:60
            38 22 0:61 / /mnt rw -
            """
        let types = [(259, 2), (0, 58), (0, 59), (0, 60), (0, 61), (7, 7)].map { major, minor in
            NetworkFileSystem.mountType(
                of: FileStatus.Device(major: UInt32(major), minor: UInt32(minor)),
                in: table
            )
        }
        #expect(types == ["ext4", "fuse.sshfs", "tmpfs", nil, nil, nil])
    }

    @Test func whereTheTestsRunIsNoNetwork() async throws {
        try await withTemporaryVault { vault in
            try NetworkFileSystem.check(vault.location)
            try NetworkFileSystem.permit(vault.location)
            // There is nothing to permit.
            #expect(!FileSystem.exists(vault.location.networkPermission))
        }
    }
}
