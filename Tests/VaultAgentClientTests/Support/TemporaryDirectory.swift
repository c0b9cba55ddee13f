import FoundationEssentials
import Glibc
import Platform

/// A directory that goes with its value.
final class TemporaryDirectory: Sendable {
    let path: String

    init() throws {
        var template = Array("/tmp/vault-test-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw SystemError(number: errno) }
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }
}
