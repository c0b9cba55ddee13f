import Glibc
import Platform

/// A strict authorization server in a file: every refresh token is good for one use, and using one
/// twice ends the grant.
///
/// Its lines are `signin NAME SERIAL`, `refresh NAME SPENT ISSUED` and `reuse NAME SERIAL`. A
/// line is written and synced before it is answered, under a lock: it is one server for all.
struct AuthorizationServer {
    enum Refusal: Error {
        /// The refresh token was spent before.
        case reuse(name: String, serial: Int)
        case unknownGrant(name: String)
    }

    let path: String

    /// Begins a grant and says the number of its first pair.
    func signIn(_ name: String) throws -> Int {
        try transact { ledger in
            let serial = (newest(of: name, in: ledger) ?? 0) + 1
            return ("signin \(name) \(serial)", serial)
        }
    }

    /// Spends a refresh token, once, and says the number of the pair that takes its place.
    func refresh(_ name: String, presenting serial: Int) throws -> Int {
        let issued: Int? = try transact { ledger in
            guard let newest = newest(of: name, in: ledger) else {
                throw Refusal.unknownGrant(name: name)
            }
            guard newest == serial else { return ("reuse \(name) \(serial)", nil) }
            return ("refresh \(name) \(serial) \(serial + 1)", serial + 1)
        }
        guard let issued else { throw Refusal.reuse(name: name, serial: serial) }
        return issued
    }

    private func newest(of name: String, in ledger: String) -> Int? {
        let lines = ledger.split(separator: "\n").map { $0.split(separator: " ") }
        let last = lines.last { $0.count > 2 && $0[0] != "reuse" && $0[1] == name }
        return last.flatMap { Int($0[$0.count - 1]) }
    }

    private func transact<Result>(
        _ body: (String) throws -> (line: String, Result)
    ) throws -> Result {
        let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw SystemError(number: errno) }
        defer { close(descriptor) }
        guard flock(descriptor, LOCK_EX) == 0 else { throw SystemError(number: errno) }
        let (line, result) = try body(String(decoding: contents(descriptor), as: UTF8.self))
        let bytes = Array("\(line)\n".utf8)
        guard unsafe Glibc.write(descriptor, bytes, bytes.count) == bytes.count,
            fsync(descriptor) == 0
        else { throw SystemError(number: errno) }
        return result
    }

    private func contents(_ descriptor: Int32) throws(SystemError) -> [UInt8] {
        let size = lseek(descriptor, 0, SEEK_END)
        guard size >= 0, lseek(descriptor, 0, SEEK_SET) == 0 else {
            throw SystemError(number: errno)
        }
        var bytes = [UInt8](repeating: 0, count: Int(size))
        guard unsafe read(descriptor, &bytes, bytes.count) == bytes.count else {
            throw SystemError(number: errno)
        }
        return bytes
    }
}
