internal import Dispatch
internal import Glibc
import Testing
import VaultSQLite

@Suite struct BusyHandlerTests {
    @Test(arguments: [0, 0.03]) func aLockThatIsKeptIsWaitedForUpToTheLimit(
        _ limit: Double
    )
        async throws
    {
        try await withTemporaryDatabase { path in
            let holder = try Connection(path: path, mode: .create)
            let waiter = try Connection(path: path, mode: .create, busyLimit: limit)
            try holder.write {
                let start = ContinuousClock.now
                let error = try #require(throws: SQLiteError.self) { try waiter.write {} }
                let waited = ContinuousClock.now - start
                #expect(error.code.primary == .busy)
                #expect(waited >= .seconds(limit))
                #expect(waited < .seconds(limit + 2))
            }
        }
    }

    @Test func everyWaitHasTheWholeLimit() async throws {
        try await withTemporaryDatabase { path in
            let holder = try Connection(path: path, mode: .create)
            let waiter = try Connection(path: path, mode: .create, busyLimit: 0.02)
            try holder.write {
                for _ in 0..<2 {
                    let start = ContinuousClock.now
                    #expect(throws: SQLiteError.self) { try waiter.write {} }
                    #expect(ContinuousClock.now - start >= .seconds(0.02))
                }
            }
        }
    }

    @Test func aLockThatIsLetGoIsTaken() async throws {
        try await withTemporaryDatabase { path in
            let waiter = try Connection(path: path, mode: .create)
            try waiter.executeScript(itemTable)
            let failure: (any Error)? = await withCheckedContinuation { locked in
                DispatchQueue.global().async {
                    do {
                        let holder = try Connection(path: path, mode: .readWrite)
                        try holder.write {
                            locked.resume(returning: nil)
                            usleep(20_000)
                            try holder.insert(1)
                        }
                    } catch {
                        locked.resume(returning: error)
                    }
                }
            }
            #expect(failure == nil)
            try waiter.write { try waiter.insert(2) }
            #expect(try waiter.integers("SELECT value FROM item ORDER BY rowid") == [1, 2])
        }
    }
}
