import Glibc
import Testing

@testable import Platform

/// Locks between processes; the other process is this program again, started by an exit test.
@Suite struct FileLockProcessTests {
    @Test func anotherProcessIsRefusedToo() async throws {
        try await withTemporaryPath { path in
            let lock = try FileLock(path: path)
            #expect(try lock.tryLock(.account(7)))
            await #expect(processExitsWith: .exitCode(10)) { [path = path as String] in
                let other = try FileLock(path: path)
                let granted = [
                    try other.tryLock(.account(7)), try other.tryLock(.allAccounts),
                    try other.tryLock(.account(8)), try other.tryLock(.agent),
                ]
                exit(granted == [false, false, true, true] ? 10 : 11)
            }
            #expect(try lock.tryLock(.allAccounts))
        }
    }

    @Test func theKernelFreesTheLocksOfAHolderThatIsKilled() async throws {
        try await withTemporaryPath { path in
            await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
                let holder = try FileLock(path: path)
                let rival = try FileLock(path: path)
                guard
                    try holder.tryLock(.allAccounts), try holder.tryLock(.agent),
                    try !rival.tryLock(.account(7)), try !rival.tryLock(.agent)
                else { exit(EXIT_FAILURE) }
                raise(SIGKILL)
            }
            let lock = try FileLock(path: path)
            #expect(try lock.tryLock(.allAccounts))
            #expect(try lock.tryLock(.agent))
        }
    }

    @Test func aChildDoesNotInheritTheDescriptor() async throws {
        try await withTemporaryPath { path in
            let lock = try FileLock(path: path)
            #expect(try lock.tryLock(.agent))
            let descriptor = try #require(try descriptors(openOn: path).first)
            #expect(try exitCode(of: "test -e /proc/self/fd/\(descriptor)") == 1)
            // The same question about a descriptor that is meant to be there.
            #expect(try exitCode(of: "test -e /proc/self/fd/2") == 0)
            let inherited = dup(descriptor)
            defer { close(inherited) }
            #expect(try exitCode(of: "test -e /proc/self/fd/\(inherited)") == 0)
        }
    }

    /// Runs a line of shell, which inherits every descriptor that is not closed on exec.
    private func exitCode(of line: String) throws -> Int32 {
        let words: [String] = ["sh", "-c", line]
        let arguments = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var child: pid_t = 0
        let failure = posix_spawn(&child, "/bin/sh", nil, nil, arguments, nil)
        guard failure == 0 else { throw SystemError(number: failure) }
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0 {
            guard errno == EINTR else { throw SystemError(number: errno) }
        }
        try #require(status & 0x7f == 0, "the shell was ended by a signal")
        return status >> 8 & 0xff
    }
}
