internal import Glibc

/// Who holds the kernel's locks of a file, as /proc/locks has it.
///
/// The file is not opened: a process that closes it would drop the locks it has on it itself.
package enum LockHolders {
    /// The process that most likely keeps others waiting: a stopped one, else a writer, else any.
    ///
    /// Nil where the kernel does not tell, as for a process of another container.
    package static func first(of path: String) -> Int32? {
        guard let status = try? FileSystem.status(of: path),
            let table = try? FileSystem.read("/proc/locks", limit: 1 << 20)
        else { return nil }
        let holders = holders(
            of: status.identity.inode,
            on: status.device,
            in: String(decoding: table, as: UTF8.self)
        )
        .filter { $0.process != getpid() }
        let stopped = holders.first { isStopped($0.process) }
        return (stopped ?? holders.first { $0.isWriting } ?? holders.first)?.process
    }

    /// One process's lock.
    struct Holder: Equatable {
        let process: Int32
        let isWriting: Bool
    }

    /// The processes that have a lock on a file, by lines such as
    /// `1: POSIX  ADVISORY  READ 708 fd:01:131 1073741826 1073742335` (proc_locks(5)).
    ///
    /// Those who wait for one have `->` for their second word.
    static func holders(
        of inode: UInt64,
        on device: FileStatus.Device,
        in table: String
    ) -> [Holder] {
        table.split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ")
            guard words.count >= 6, words[1] == "POSIX", let process = Int32(words[4]) else {
                return nil
            }
            let place = words[5].split(separator: ":")
            guard place.count == 3, UInt32(place[0], radix: 16) == device.major,
                UInt32(place[1], radix: 16) == device.minor, UInt64(place[2]) == inode
            else { return nil }
            return Holder(process: process, isWriting: words[3] == "WRITE")
        }
    }

    private static func isStopped(_ process: Int32) -> Bool {
        guard let bytes = try? FileSystem.read("/proc/\(process)/stat", limit: 4096) else {
            return false
        }
        let text = String(decoding: bytes, as: UTF8.self)
        // The program's name comes first, in brackets, and may have some itself.
        guard let end = text.lastIndex(of: ")") else { return false }
        return "tT".contains(text[text.index(after: end)...].first { $0 != " " } ?? " ")
    }
}
