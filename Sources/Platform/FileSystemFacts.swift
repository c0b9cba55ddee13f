internal import Glibc
package import FoundationEssentials

/// What is known of a file or its file system without opening it.
extension FileSystem {
    /// When a file was changed last.
    package static func modified(_ path: String) throws(SystemError) -> Date {
        var status = Glibc.stat()
        guard lstat(path, &status) == 0 else { throw SystemError(number: errno) }
        let seconds = Double(status.st_mtim.tv_sec) + Double(status.st_mtim.tv_nsec) * 1e-9
        return Date(timeIntervalSince1970: seconds)
    }

    /// Bytes that this user may still write where a path is.
    package static func freeSpace(at path: String) throws(SystemError) -> UInt64 {
        var status = Glibc.statvfs()
        guard statvfs(path, &status) == 0 else { throw SystemError(number: errno) }
        return UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize))
            .partialValue
    }

    /// Whether a path leads to a regular file that this user may run.
    package static func isProgram(_ path: String) -> Bool {
        guard access(path, X_OK) == 0, let target = try? resolved(path) else { return false }
        return (try? status(of: target).kind) == .regular
    }
}
