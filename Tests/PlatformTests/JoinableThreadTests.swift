import Glibc
import Testing

@testable import Platform

@Suite struct JoinableThreadTests {
    @Test func joiningWaitsForTheEndAndOnlyOnce() throws {
        let ended = Locked(false)
        let thread = try DedicatedThread.startJoinable {
            usleep(20_000)
            ended.withLock { $0 = true }
        }
        thread.join()
        #expect(ended.withLock { $0 })
        thread.join()
    }

    @Test func whoComesSecondWaitsToo() throws {
        let ended = Locked(false)
        let thread = try DedicatedThread.startJoinable {
            usleep(20_000)
            ended.withLock { $0 = true }
        }
        let first = try DedicatedThread.startJoinable { thread.join() }
        usleep(5_000)
        thread.join()
        #expect(ended.withLock { $0 })
        first.join()
    }
}
