internal import CSQLite
internal import Glibc
internal import Platform

/// Waits for a lock in short random steps.
///
/// SQLite's own handler backs off to 100 ms and more, which under load costs up to a second for a
/// lock that is held for a millisecond.
final class BusyHandler {
    private let limit: Double
    private var start = 0.0

    /// `limit` is the number of seconds after which waiting ends.
    init(limit: Double) {
        self.limit = limit
    }

    /// Installs the handler; the connection has to keep it alive.
    func install(on handle: OpaquePointer) {
        let context = Unmanaged.passUnretained(self).toOpaque()
        sqlite3_busy_handler(
            handle,
            { context, attempt in
                guard let context else { return 0 }
                let handler = Unmanaged<BusyHandler>.fromOpaque(context).takeUnretainedValue()
                return handler.wait(attempt: attempt) ? 1 : 0
            },
            context
        )
    }

    private func wait(attempt: Int32) -> Bool {
        let now = Uptime.seconds()
        if attempt == 0 { start = now }
        guard now - start < limit else { return false }
        usleep(UInt32.random(in: 500...2000))
        return true
    }
}
