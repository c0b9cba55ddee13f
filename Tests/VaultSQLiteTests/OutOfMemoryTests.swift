import Glibc
import Testing
import VaultSQLite

/// Row F-74 of the fault matrix: memory that runs out in SQLite is an error and loses nothing.
@Suite struct OutOfMemoryTests {
    /// In a process of its own: SQLite's limit is one for the whole process, and only goes down.
    @Test func anyAllocationMayFail() async throws {
        try await withTemporaryDatabase { path in
            let connection = try Connection(path: path, mode: .create)
            try connection.executeScript(itemTable)
            try connection.write { for value in 1...400 { try connection.insert(Int64(value)) } }
            await #expect(processExitsWith: .exitCode(10)) { [path = path as String] in
                // SQLITE_NOMEM
                let outOfMemory: Int32 = 7
                var failures = 0
                var successes = 0
                var next: Int64 = 1000
                for limit in stride(from: 400_000, through: 2_000, by: -3_000) {
                    do {
                        let connection = try Connection(path: path, mode: .readWrite)
                        try connection.execute("PRAGMA hard_heap_limit = \(limit)")
                        guard try connection.integers("SELECT value FROM item").count >= 400 else {
                            exit(11)
                        }
                        try connection.write {
                            try connection.insert(next)
                            try connection.execute("UPDATE item SET value = value + 100000")
                            try connection.execute("UPDATE item SET value = value - 100000")
                        }
                        successes += 1
                        next += 1
                    } catch let error as SQLiteError {
                        guard error.code.primary.rawValue == outOfMemory else { exit(12) }
                        failures += 1
                    } catch let error as UnknownCommit {
                        guard error.cause.code.primary == .outOfMemory else { exit(14) }
                        failures += 1
                    }
                }
                exit(successes > 0 && failures > 20 ? 10 : 13)
            }
            let check = try Connection(path: path, mode: .readWrite)
            var integrity = try check.prepare("PRAGMA integrity_check")
            #expect(try integrity.step() && integrity.text(at: 0) == "ok")
            let values = try check.integers("SELECT value FROM item ORDER BY value")
            // Each insertion is there as a whole, or not at all.
            #expect(values.prefix(400) == Array(1...400)[...])
            #expect(
                values.dropFirst(400).elementsEqual(
                    (0..<Int64(values.count - 400)).map { 1000 + $0 }
                )
            )
        }
    }
}
