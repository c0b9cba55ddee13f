import Glibc

/// Files as the tests need them: whole, and with no buffers in between.
enum Files {
    static func read(_ path: String) throws -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw HarnessError("cannot read \(path): errno \(errno)") }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = Glibc.read(descriptor, &chunk, chunk.count)
            guard count >= 0 else { throw HarnessError("cannot read \(path): errno \(errno)") }
            if count == 0 { return bytes }
            bytes += chunk[..<count]
        }
    }

    static func text(_ path: String) throws -> String {
        String(decoding: try read(path), as: UTF8.self)
    }

    static func write(_ bytes: [UInt8], to path: String) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0, Glibc.write(descriptor, bytes, bytes.count) == bytes.count else {
            throw HarnessError("cannot write \(path): errno \(errno)")
        }
        close(descriptor)
    }

    static func write(_ text: String, to path: String) throws {
        try write(Array(text.utf8), to: path)
    }

    static func append(_ text: String, to path: String) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
        guard descriptor >= 0, Glibc.write(descriptor, text, text.utf8.count) >= 0 else {
            throw HarnessError("cannot write \(path): errno \(errno)")
        }
        close(descriptor)
    }

    static func exists(_ path: String) -> Bool {
        access(path, F_OK) == 0
    }

    /// Type and permission bits.
    static func mode(_ path: String) throws -> UInt32 {
        try status(path).st_mode
    }

    static func owner(_ path: String) throws -> UInt32 {
        try status(path).st_uid
    }

    private static func status(_ path: String) throws -> stat {
        var found = stat()
        guard lstat(path, &found) == 0 else {
            throw HarnessError("cannot look at \(path): errno \(errno)")
        }
        return found
    }

    static func names(in directory: String) throws -> [String] {
        guard let handle = opendir(directory) else {
            throw HarnessError("cannot list \(directory): errno \(errno)")
        }
        defer { closedir(handle) }
        var names: [String] = []
        while let entry = readdir(handle) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    /// Every regular file below a directory.
    static func tree(_ directory: String) throws -> [String] {
        try names(in: directory).flatMap { name -> [String] in
            let path = "\(directory)/\(name)"
            return switch try mode(path) & S_IFMT {
            case S_IFDIR: try tree(path)
            case S_IFREG: [path]
            default: []
            }
        }
    }

    static func target(ofLink path: String) throws -> String {
        var buffer = [CChar](repeating: 0, count: 4096)
        let count = readlink(path, &buffer, buffer.count)
        guard count >= 0 else { throw HarnessError("cannot read link \(path): errno \(errno)") }
        return String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
