internal import CPlatform
internal import Glibc

/// This process.
package enum ProcessIdentity {
    /// Its number.
    package static var current: Int32 { getpid() }

    /// What the kernel calls its program: at most 15 bytes; empty when it does not say.
    package static var name: String {
        var buffer = [UInt8](repeating: 0, count: 64)
        let count = cplatform_read_file("/proc/self/comm", &buffer, UInt64(buffer.count))
        guard count > 0 else { return "" }
        return String(decoding: buffer[..<Int(count)].prefix { $0 != 0x0a }, as: UTF8.self)
    }
}
