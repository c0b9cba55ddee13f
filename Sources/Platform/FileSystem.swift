internal import CPlatform
internal import Glibc

/// What lstat says of a path.
package struct FileStatus: Sendable, Equatable {
    /// The kinds of file the vault tells apart.
    package enum Kind: Sendable, Equatable {
        case regular
        case directory
        case symbolicLink
        case socket
        case pipe
        case other
    }

    package let kind: Kind
    /// The twelve permission bits.
    package let permissions: UInt32
    package let owner: UInt32
    package let links: UInt64
    /// Bytes.
    package let size: Int64
    package let identity: Identity

    /// Which file it is, whatever its names: another one has another while this one exists.
    package struct Identity: Sendable, Equatable {
        let device: UInt64
        let inode: UInt64
    }

    /// The device the file is on, as /proc names it.
    package let device: Device

    /// A device's two numbers.
    package struct Device: Sendable, Equatable {
        package let major: UInt32
        package let minor: UInt32

        package init(major: UInt32, minor: UInt32) {
            self.major = major
            self.minor = minor
        }
    }

    init(_ status: cplatform_file_status) {
        kind =
            switch status.mode & UInt32(S_IFMT) {
            case UInt32(S_IFREG): .regular
            case UInt32(S_IFDIR): .directory
            case UInt32(S_IFLNK): .symbolicLink
            case UInt32(S_IFSOCK): .socket
            case UInt32(S_IFIFO): .pipe
            default: .other
            }
        permissions = status.mode & 0o7777
        owner = status.owner
        links = status.links
        size = status.size
        identity = Identity(device: status.device, inode: status.inode)
        device = Device(major: status.device_major, minor: status.device_minor)
    }
}

/// The few things the vault does to files by their path.
package enum FileSystem {
    /// The user this process acts as.
    package static var currentUser: UInt32 { geteuid() }

    /// Looks at a path without opening or following it.
    package static func status(of path: String) throws(SystemError) -> FileStatus {
        var status = cplatform_file_status()
        try SystemError.check(cplatform_lstat(path, &status))
        return FileStatus(status)
    }

    /// Whether there is anything at a path.
    package static func exists(_ path: String) -> Bool {
        (try? status(of: path)) != nil
    }

    /// A path made absolute by the working directory; nothing is looked up.
    package static func absolute(_ path: String) -> String {
        guard !path.hasPrefix("/"), let current = getcwd(nil, 0) else { return path }
        defer { free(current) }
        return String(cString: current) + "/" + path
    }

    /// The path with every symbolic link followed; all of it must exist.
    package static func resolved(_ path: String) throws(SystemError) -> String {
        guard let resolved = realpath(path, nil) else { throw SystemError(number: errno) }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// Where a symbolic link points, as it says.
    package static func target(ofLink path: String) throws(SystemError) -> String {
        let capacity = Int(PATH_MAX)
        var buffer = [CChar](repeating: 0, count: capacity)
        let count = readlink(path, &buffer, capacity)
        guard count >= 0 else { throw SystemError(number: errno) }
        return String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// The directory a path is or would be made in, with every symbolic link followed and every
    /// `..` taken back, also where it goes up from a directory that is still to be made.
    package static func resolvedDirectory(above path: String) throws(SystemError) -> String {
        var place = path.hasPrefix("/") ? "/" : try resolved(".")
        for name in path.split(separator: "/").dropLast() where name != "." {
            if name == ".." {
                place = String(place[..<(place.lastIndex(of: "/") ?? place.startIndex)])
            } else {
                place += place.hasSuffix("/") ? name : "/" + name
            }
            if place.isEmpty { place = "/" }
            if exists(place) { place = try resolved(place) }
        }
        return place
    }

    /// The number by which the kernel knows the kind of file system that a path is on (statfs(2)).
    package static func fileSystemType(of path: String) throws(SystemError) -> UInt32 {
        UInt32(truncatingIfNeeded: try SystemError.check(cplatform_file_system_type(path)))
    }

    /// Makes a new file (0600) whose every byte has its place on the disk.
    package static func allocate(_ path: String, size: Int64) throws(SystemError) {
        try SystemError.check(cplatform_allocate_file(path, size))
    }

    /// Makes a directory (0700 whatever the umask) and those above it that are missing.
    package static func makeDirectories(_ path: String) throws(SystemError) {
        do {
            try makeDirectory(path)
        } catch .notFound {
            guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else {
                throw .notFound
            }
            try makeDirectories(String(path[..<slash]))
            try makeDirectory(path)
        }
    }

    private static func makeDirectory(_ path: String) throws(SystemError) {
        guard mkdir(path, 0o700) == 0 else {
            guard errno == EEXIST else { throw SystemError(number: errno) }
            return
        }
        // A umask can only take bits away, also the owner's.
        guard try status(of: path).permissions & 0o700 != 0o700 else { return }
        guard chmod(path, 0o700) == 0 else { throw SystemError(number: errno) }
    }

    /// Writes a file (0600 whatever the umask) that must not exist yet, durably.
    package static func writeNew(_ path: String, _ bytes: Span<UInt8>) throws(SystemError) {
        let result = bytes.withUnsafeBufferPointer { buffer in
            cplatform_write_new_file(path, buffer.baseAddress, UInt64(buffer.count))
        }
        try SystemError.check(result)
    }

    /// Syncs a finished file and gives it its name, unless that is taken.
    package static func install(_ unfinished: String, as path: String) throws(SystemError) {
        try SystemError.check(cplatform_install_file(unfinished, path))
    }

    /// Puts a file (0600) in the place of one or none, durably and whole at every moment.
    package static func replace(_ path: String, _ bytes: Span<UInt8>) throws(SystemError) {
        let unfinished = path + ".new"
        try remove(unfinished)
        try writeNew(unfinished, bytes)
        do throws(SystemError) {
            try SystemError.check(cplatform_replace_file(unfinished, path))
        } catch {
            try? remove(unfinished)
            throw error
        }
    }

    /// The first `limit` bytes of a file, which the caller wipes if they are secret.
    package static func read(_ path: String, limit: Int) throws(SystemError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: limit)
        let count = try SystemError.check(
            bytes.withUnsafeMutableBytes { buffer in
                cplatform_read_file(path, buffer.baseAddress, UInt64(buffer.count))
            }
        )
        // In place: a copy would leave the secret behind in the longer array.
        bytes.removeLast(limit - Int(count))
        return bytes
    }

    /// Removes a file; one that is not there is no error.
    package static func remove(_ path: String) throws(SystemError) {
        guard unlink(path) == 0 || errno == ENOENT else { throw SystemError(number: errno) }
    }
}
