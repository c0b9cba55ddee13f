internal import CPlatform
internal import Glibc

/// SIGTERM, SIGINT and SIGHUP as something to wait for.
package enum StopSignals {
    /// SIGHUP.
    package static let hangUp = SIGHUP

    /// Keeps the signals from ending the process; to be called first.
    package static func catchAll() throws(SystemError) {
        try SystemError.check(cplatform_catch_stop_signals())
    }

    /// Blocks the thread until one of them comes, and returns its number.
    package static func wait() throws(SystemError) -> Int32 {
        while true {
            let signal = cplatform_wait_stop_signal(.max)
            if signal != -EAGAIN, signal != -EINTR { return try SystemError.check(signal) }
        }
    }
}
