internal import Glibc

/// A system call that failed, with its errno.
package struct SystemError: Error, Equatable, Sendable, CustomStringConvertible {
    package let number: Int32

    package init(number: Int32) {
        self.number = number
    }

    /// The C library's words for the errno.
    package var description: String {
        guard let words = strerror(number) else { return "system error \(number)" }
        return String(cString: words)
    }

    package static let notFound = SystemError(number: ENOENT)
    package static let exists = SystemError(number: EEXIST)
    package static let accessDenied = SystemError(number: EACCES)
    package static let connectionRefused = SystemError(number: ECONNREFUSED)
    package static let noSpace = SystemError(number: ENOSPC)
    package static let overQuota = SystemError(number: EDQUOT)
    package static let isDirectory = SystemError(number: EISDIR)
    package static let readOnly = SystemError(number: EROFS)
    package static let tooManyLinks = SystemError(number: ELOOP)
    package static let tryAgain = SystemError(number: EAGAIN)
    package static let timedOut = SystemError(number: ETIMEDOUT)
    package static let addressInUse = SystemError(number: EADDRINUSE)
    package static let tooLarge = SystemError(number: EFBIG)
    package static let noTerminal = SystemError(number: ENXIO)
    package static let inputEnded = SystemError(number: ENODATA)
    package static let lineTooLong = SystemError(number: EMSGSIZE)
    package static let interrupted = SystemError(number: EINTR)

    /// Turns the C target's convention (minus errno on failure) into a thrown error.
    @discardableResult
    static func check<Value: SignedInteger>(_ result: Value) throws(SystemError) -> Value {
        guard result >= 0 else { throw SystemError(number: Int32(-result)) }
        return result
    }
}
