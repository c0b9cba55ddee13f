internal import Glibc
import Platform
import Testing

@Suite struct MemoryLockTests {
    @Test("F-64: without a page to lock it says so", arguments: [0, 65_536] as [UInt])
    func itIsAsTheLimitSays(_ limit: UInt) async {
        await #expect(processExitsWith: .success) { [limit = limit as UInt] in
            var value = rlimit(rlim_cur: limit, rlim_max: limit)
            guard setrlimit(__rlimit_resource_t(__RLIMIT_MEMLOCK.rawValue), &value) == 0 else {
                exit(99)
            }
            // Root may lock what it likes.
            if geteuid() == 0 { guard setgid(65_534) == 0, setuid(65_534) == 0 else { exit(98) } }
            #expect(MemoryLock.isWorking == (limit > 0))
        }
    }
}
