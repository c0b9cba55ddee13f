internal import Glibc

/// What the vault does to directories.
extension FileSystem {
    /// The names in a directory, in the order of their bytes.
    package static func entries(of directory: String) throws(SystemError) -> [String] {
        guard let stream = opendir(directory) else { throw SystemError(number: errno) }
        defer { closedir(stream) }
        var names: [String] = []
        while true {
            errno = 0
            guard let entry = readdir(stream) else {
                guard errno == 0 else { throw SystemError(number: errno) }
                return names.filter { $0 != "." && $0 != ".." }.sorted()
            }
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            names.append(name)
        }
    }

    /// Makes a directory (0700 whatever the umask) that must not exist yet.
    package static func makeNewDirectory(_ path: String) throws(SystemError) {
        guard mkdir(path, 0o700) == 0, chmod(path, 0o700) == 0 else {
            throw SystemError(number: errno)
        }
    }

    /// Copies the bytes of a file to one (0600) that must not exist yet.
    ///
    /// Not for a database that this process has open: closing the file would drop SQLite's locks.
    package static func copy(_ path: String, toNew copy: String) throws(SystemError) {
        try writeNew(copy, [UInt8]().span)
        let source = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard source >= 0 else { throw SystemError(number: errno) }
        defer { close(source) }
        let target = open(copy, O_WRONLY | O_CLOEXEC | O_NOFOLLOW)
        guard target >= 0 else { throw SystemError(number: errno) }
        defer { close(target) }
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = Glibc.read(source, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw SystemError(number: errno) }
            if count == 0 { break }
            try Descriptor.write(buffer[..<count], to: target)
        }
        guard fsync(target) == 0 else { throw SystemError(number: errno) }
    }

    /// Empties a file in place: who has it open sees it empty.
    package static func truncate(_ path: String) throws(SystemError) {
        guard Glibc.truncate(path, 0) == 0 else { throw SystemError(number: errno) }
    }
}
