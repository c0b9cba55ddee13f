internal import CPlatform
internal import Glibc

/// Starting other programs: by absolute path, with an environment of our choosing, and no
/// descriptor that is not theirs.
package enum Spawning {
    /// The path of the program that is running, symbolic links followed.
    package static func currentExecutable() throws(SystemError) -> String {
        try FileSystem.resolved("/proc/self/exe")
    }

    /// Starts a daemon: its own session, descriptors 0 to 2 on /dev/null, working directory /.
    ///
    /// The pipe given as `keep` is its descriptor 3, and nothing else is open in it: a caller's
    /// `$(…)` does not wait for it.
    package static func daemon(
        _ path: String,
        arguments: [String],
        environment: [String: String],
        keep: Int32
    ) throws(SystemError) {
        let result = withCStrings([path] + arguments) { arguments in
            withCStrings(environment.map { "\($0.key)=\($0.value)" }) { environment in
                cplatform_spawn_daemon(path, arguments, environment, keep)
            }
        }
        try SystemError.check(result)
    }

    /// Starts a program for the person at the terminal, with their environment; does not wait.
    package static func attached(_ path: String, arguments: [String]) throws(SystemError) {
        let result = withCStrings([path] + arguments) { arguments in
            cplatform_spawn_attached(path, arguments, environ)
        }
        try SystemError.check(result)
    }

    /// Replaces this program by another that keeps its environment and descriptors 0 to 2.
    package static func replace(with path: String, arguments: [String]) throws(SystemError) {
        let number = withCStrings([path] + arguments) { arguments in
            execve(path, arguments, environ)
            return errno
        }
        throw SystemError(number: number)
    }

    static func withCStrings<Result>(
        _ strings: [String],
        _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
    ) -> Result {
        var pointers = strings.map { strdup($0) }
        defer { pointers.forEach { free($0) } }
        pointers.append(nil)
        return body(pointers)
    }
}

/// A pipe whose two ends are closed with it.
package struct Pipe: ~Copyable {
    private let readEnd: Int32
    private var writeEnd: Int32

    package init() throws(SystemError) {
        var ends: [Int32] = [-1, -1]
        try SystemError.check(cplatform_pipe(&ends))
        readEnd = ends[0]
        writeEnd = ends[1]
    }

    deinit {
        close(readEnd)
        if writeEnd >= 0 { close(writeEnd) }
    }

    /// The end to hand to a child.
    package var writing: Int32 { writeEnd }

    /// Everything written until the last writer is gone, if that is within the time.
    ///
    /// Ours goes first.
    package mutating func readToEnd(
        limit: Int,
        milliseconds: Int32
    ) throws(SystemError) -> [UInt8] {
        close(writeEnd)
        writeEnd = -1
        let end = Uptime.seconds() + Double(milliseconds) / 1000
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while bytes.count < limit {
            let left = Int32(clamping: Int(((end - Uptime.seconds()) * 1000).rounded(.up)))
            guard left > 0 else { throw SystemError(number: ETIMEDOUT) }
            // Also a process that was stopped and continued (Ctrl-Z, fg) ends the wait early.
            guard Descriptor.waitReadable([readEnd], milliseconds: left)[0] else { continue }
            let count = read(readEnd, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            if try SystemError.check(count < 0 ? -Int(errno) : count) == 0 { break }
            bytes += chunk[..<count]
        }
        return bytes
    }
}
