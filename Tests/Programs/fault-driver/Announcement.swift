import FoundationEssentials
import Glibc
import Platform

/// The lines the harness reads, each written by one system call, so that a kill never cuts one.
enum Announcement {
    /// `FAULT_DIE=installing:3` in the environment ends this process right after it announced that
    /// step for the third time, `saved:1` after the first save: a kill where one from outside would
    /// come too late.
    private static let death = Death(Environment["FAULT_DIE"])

    /// What is begun now.
    static func step(_ name: String) {
        write("step \(name)\n", to: 1)
        death?.passed(name)
    }

    /// The same with the time on the wall, in microseconds, by which servers write their ledgers.
    static func step(_ name: String, at date: Date) {
        let microseconds = Int64(date.timeIntervalSince1970 * 1_000_000)
        write("step \(name) \(microseconds)\n", to: 1)
        death?.passed(name)
    }

    /// That something was stored: whatever happens from here on, it has to be there.
    ///
    /// The time is CLOCK_MONOTONIC, in microseconds, which the power cut is told by as well.
    static func saved(_ name: String, generation: UInt64, serial: Int) {
        var now = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &now)
        let microseconds = now.tv_sec * 1_000_000 + now.tv_nsec / 1000
        write("saved \(name) \(generation) \(serial) \(microseconds)\n", to: 1)
        death?.passed("saved")
    }

    static func result(_ text: String) {
        write(text + "\n", to: 1)
    }

    static func failed(_ words: String) {
        write("fault-driver: error: \(words)\n", to: 2)
    }

    private static func write(_ line: String, to descriptor: Int32) {
        let bytes = Array(line.utf8)
        var written = 0
        while written < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { bytes in
                unsafe Glibc.write(
                    descriptor,
                    bytes.baseAddress.map { unsafe $0 + written },
                    bytes.count - written
                )
            }
            // Nobody reads any more: what is not said does not count as said.
            guard count > 0 else { return }
            written += count
        }
    }
}
