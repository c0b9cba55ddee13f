import CSQLite
internal import Glibc
import Platform

/// A disk that fails on demand, under every connection that a process opens from then on.
///
/// It stands between SQLite and the files (sqlite.org/vfs.html), so only processes of a test's own
/// use it.
enum FaultyDisk {
    enum Call: Sendable { case read, write, sync }
    enum Kind: Sendable { case database, journal, any }

    /// Calls that fail.
    struct Fault: Sendable {
        var call: Call
        var kind = Kind.any
        /// Calls that succeed before the first that fails.
        var skipped = 0
        /// How many fail.
        var times = 1
        var code: Int32
        /// They fail only while there is a file at this path.
        var whileThereIs: String?
    }

    private struct State {
        var faults: [Fault] = []
        var failures = 0
    }

    private static let state = Locked(State())

    /// How many calls have failed since the last `set`.
    static var failures: Int { state.withLock { $0.failures } }

    static func set(_ faults: Fault...) { set(faults) }

    static func set(_ faults: [Fault]) {
        state.withLock { $0 = State(faults: faults) }
    }

    static func heal() { set() }

    /// Puts the disk under every connection to come.
    static func install() {
        // A sync costs nothing there, and there are thousands.
        if access("/dev/shm", W_OK) == 0 { setenv("TMPDIR", "/dev/shm", 1) }
        guard let unix = sqlite3_vfs_find("unix") else { return }
        let faulty = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
        faulty.initialize(to: unix.pointee)
        faulty.pointee.zName = UnsafePointer(strdup("faulty"))
        faulty.pointee.xOpen = { _, path, file, flags, outFlags in
            guard let unix = sqlite3_vfs_find("unix") else { return SQLITE_CANTOPEN }
            let code = unix.pointee.xOpen(unix, path, file, flags, outFlags)
            guard code == SQLITE_OK, let file, let real = file.pointee.pMethods else { return code }
            guard flags & (SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_MAIN_JOURNAL) != 0 else { return code }
            let isJournal = flags & SQLITE_OPEN_MAIN_JOURNAL != 0
            guard let table = FaultyDisk.methods(like: real, isJournal: isJournal) else {
                return SQLITE_NOMEM
            }
            file.pointee.pMethods = UnsafePointer(table)
            return code
        }
        sqlite3_vfs_register(faulty, 1)
    }

    private static let real = Locked<UInt>(0)

    fileprivate static var realMethods: sqlite3_io_methods? {
        UnsafePointer<sqlite3_io_methods>(bitPattern: real.withLock { $0 })?.pointee
    }

    /// One table for journals and one for databases, by whether it is for journals.
    private static let tables = Locked<[Bool: UInt]>([:])

    private static func methods(
        like found: UnsafePointer<sqlite3_io_methods>,
        isJournal: Bool
    ) -> UnsafeMutablePointer<sqlite3_io_methods>? {
        let address = UInt(bitPattern: found)
        real.withLock { $0 = address }
        let known = tables.withLock { tables in
            if let table = tables[isJournal] { return table }
            let made = UInt(bitPattern: makeTable(like: found, isJournal: isJournal))
            tables[isJournal] = made
            return made
        }
        return UnsafeMutablePointer(bitPattern: known)
    }

    private static func makeTable(
        like found: UnsafePointer<sqlite3_io_methods>,
        isJournal: Bool
    ) -> UnsafeMutablePointer<sqlite3_io_methods> {
        let table = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
        table.initialize(to: found.pointee)
        if isJournal {
            table.pointee.xRead = { FaultyDisk.read($0, $1, $2, $3, .journal) }
            table.pointee.xWrite = { FaultyDisk.write($0, $1, $2, $3, .journal) }
            table.pointee.xSync = { FaultyDisk.sync($0, $1, .journal) }
        } else {
            table.pointee.xRead = { FaultyDisk.read($0, $1, $2, $3, .database) }
            table.pointee.xWrite = { FaultyDisk.write($0, $1, $2, $3, .database) }
            table.pointee.xSync = { FaultyDisk.sync($0, $1, .database) }
        }
        return table
    }

    private static func fails(_ call: Call, _ kind: Kind) -> Int32? {
        state.withLock { state in
            for index in state.faults.indices {
                let fault = state.faults[index]
                guard fault.call == call, fault.kind == .any || fault.kind == kind,
                    fault.times > 0, fault.whileThereIs.map({ FileSystem.exists($0) }) ?? true
                else { continue }
                guard fault.skipped == 0 else {
                    state.faults[index].skipped -= 1
                    continue
                }
                state.faults[index].times -= 1
                state.failures += 1
                return fault.code
            }
            return nil
        }
    }

    private typealias File = UnsafeMutablePointer<sqlite3_file>

    private static func read(
        _ file: File?,
        _ bytes: UnsafeMutableRawPointer?,
        _ count: Int32,
        _ offset: sqlite3_int64,
        _ kind: Kind
    ) -> Int32 {
        fails(.read, kind) ?? realMethods?.xRead(file, bytes, count, offset) ?? SQLITE_IOERR
    }

    private static func write(
        _ file: File?,
        _ bytes: UnsafeRawPointer?,
        _ count: Int32,
        _ offset: sqlite3_int64,
        _ kind: Kind
    ) -> Int32 {
        fails(.write, kind) ?? realMethods?.xWrite(file, bytes, count, offset) ?? SQLITE_IOERR
    }

    private static func sync(_ file: File?, _ flags: Int32, _ kind: Kind) -> Int32 {
        fails(.sync, kind) ?? realMethods?.xSync(file, flags) ?? SQLITE_IOERR
    }
}
