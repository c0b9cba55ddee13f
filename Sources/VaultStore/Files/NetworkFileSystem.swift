internal import Platform

/// Keeps a vault off file systems that other machines reach too.
///
/// Their locks are not the kernel's own, so that two machines would spend one refresh token, and
/// their syncs promise less than a disk's.
enum NetworkFileSystem {
    /// Refuses a vault on a network file system, unless a file in its directory permits it.
    static func check(_ location: VaultLocation) throws {
        guard let kind = try kind(of: location.directory) else { return }
        do {
            try FilePermissions.checkFile(location.networkPermission)
        } catch let error as SystemError where error == .notFound {
            throw StoreError.networkFileSystem(path: location.directory, kind: kind)
        } catch let error as SystemError {
            throw StoreError.file(path: location.networkPermission, error)
        }
    }

    /// Permits a vault to be where it is; nothing on a file system of this machine.
    static func permit(_ location: VaultLocation) throws {
        guard try kind(of: location.directory) != nil,
            !FileSystem.exists(location.networkPermission)
        else { return }
        do {
            try FileSystem.writeNew(location.networkPermission, [UInt8]().span)
        } catch {
            throw StoreError.file(path: location.networkPermission, error)
        }
    }

    private static func kind(of directory: String) throws -> String? {
        do {
            let type = try FileSystem.fileSystemType(of: directory)
            return kind(type: type) { Self.mountType(of: directory) }
        } catch {
            throw StoreError.file(path: directory, error)
        }
    }

    /// The name of a network file system; nil for one of this machine, and for one that nothing is
    /// known of.
    ///
    /// `mountType` is asked only where the number says no more than FUSE.
    static func kind(type: UInt32, mountType: () -> String?) -> String? {
        guard type == fuse else { return name(of: type) }
        guard let mount = mountType(), mount.hasPrefix("fuse.") else { return nil }
        let program = String(mount.dropFirst("fuse.".count))
        return networkPrograms.contains(program) ? program : nil
    }

    // statfs(2), linux/magic.h and the sources of those that are not in the kernel.
    private static let fuse: UInt32 = 0x6573_5546
    private static func name(of type: UInt32) -> String? {
        switch type {
        case 0x0000_6969: "nfs"
        case 0x0000_517B: "smb"
        case 0xFF53_4D42: "cifs"
        case 0xFE53_4D42: "smb3"
        case 0x0102_1997: "9p"
        case 0x5346_414F, 0x6B41_4653: "afs"
        case 0x7375_7245: "coda"
        case 0x00C3_6400: "ceph"
        case 0x0000_564C: "ncp"
        case 0x0BD0_0BD0: "lustre"
        case 0x0116_1970: "gfs2"
        case 0x7461_636F: "ocfs2"
        case 0x4750_4653: "gpfs"
        case 0x1983_0326: "beegfs"
        case 0xAAD7_AAEA: "panfs"
        case 0x786F_4256: "vboxsf"
        case 0xBACB_ACBC: "vmhgfs"
        default: nil
        }
    }

    private static let networkPrograms = [
        "sshfs", "s3fs", "rclone", "glusterfs", "ceph", "ceph-fuse", "davfs", "davfs2",
        "gvfsd-fuse",
        "gcsfuse", "goofys", "juicefs", "moosefs", "mfs", "curlftpfs", "google-drive-ocamlfuse",
        "smbnetfs", "blobfuse", "blobfuse2", "lizardfs", "seaweedfs", "vmhgfs-fuse", "afpfs",
        "fuse-nfs", "mount.s3ql", "s3ql", "mountpoint-s3", "onedriver", "kio-fuse",
    ]

    private static func mountType(of directory: String) -> String? {
        guard let directory = try? FileSystem.resolved(directory),
            let status = try? FileSystem.status(of: directory),
            let table = try? FileSystem.read("/proc/self/mountinfo", limit: 1 << 20)
        else { return nil }
        return mountType(of: status.device, in: String(decoding: table, as: UTF8.self))
    }

    /// The type of the mount that a device is, by lines such as
    /// `36 35 0:58 / /mnt/far rw,nosuid shared:9 - fuse.sshfs host:/ rw` (proc_pid_mountinfo(5)).
    static func mountType(of device: FileStatus.Device, in table: String) -> String? {
        let wanted = "\(device.major):\(device.minor)"
        for line in table.split(separator: "\n") {
            let words = line.split(separator: " ")
            guard words.count > 3, words[2] == wanted,
                let dash = words.firstIndex(of: "-"), dash + 1 < words.count
            else { continue }
            return String(words[dash + 1])
        }
        return nil
    }
}
