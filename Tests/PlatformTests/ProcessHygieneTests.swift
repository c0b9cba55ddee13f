import Glibc
import Testing

@testable import Platform

/// Each in a process of its own: what hardening does cannot be undone.
@Suite struct ProcessHygieneTests {
    @Test func fatalSignalsGoBackToTheirDefaults() async {
        await #expect(processExitsWith: .success) {
            let fatal = [SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGQUIT]
            for number in fatal { signal(number) { _ in } }
            try ProcessHygiene.harden()
            for number in fatal {
                var action = sigaction()
                guard
                    sigaction(number, nil, &action) == 0,
                    action.__sigaction_handler.sa_handler == nil
                else { exit(number) }
            }
        }
    }

    /// The kernel would reap them, and their numbers be others'.
    @Test func childrenAreOursToWaitForWhoeverIgnoredTheirEnds() async {
        await #expect(processExitsWith: .success) {
            signal(SIGCHLD, SIG_IGN)
            try ProcessHygiene.harden()
            let child = try SupervisedProcess("/bin/false", input: [], environment: [:])
            guard child.wait(milliseconds: 10_000) == .exited(1) else { exit(10) }
        }
    }

    @Test func aBrokenPipeIsAnErrorAndNotTheEnd() async {
        await #expect(processExitsWith: .success) {
            signal(SIGPIPE, SIG_DFL)
            try ProcessHygiene.harden()
            var ends: [Int32] = [0, 0]
            guard pipe(&ends) == 0, close(ends[0]) == 0 else { exit(10) }
            guard write(ends[1], "x", 1) == -1, errno == EPIPE else { exit(11) }
        }
    }

    /// Row F-13b of the fault matrix.
    @Test func aFileAtItsSizeLimitIsAnErrorAndNotTheEnd() async {
        await #expect(processExitsWith: .success) {
            signal(SIGXFSZ, SIG_DFL)
            // The threads that tests run on block signals, the main thread of a command does not.
            var all = sigset_t()
            sigfillset(&all)
            pthread_sigmask(SIG_UNBLOCK, &all, nil)
            try ProcessHygiene.harden()
            var limit = rlimit(rlim_cur: 1, rlim_max: 1)
            guard setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0 else {
                exit(10)
            }
            var template = Array("/tmp/vault-test-XXXXXX".utf8CString)
            let file = mkstemp(&template)
            guard file >= 0, unlink(template) == 0 else { exit(11) }
            guard write(file, "x", 1) == 1 else { exit(12) }
            guard write(file, "y", 1) == -1, errno == EFBIG else { exit(13) }
        }
    }

    @Test func filesArePrivateAndNoCoreIsWritten() async {
        await #expect(processExitsWith: .success) {
            umask(0)
            try ProcessHygiene.harden()
            guard umask(0) == 0o077 else { exit(10) }
            var limit = rlimit()
            let failed = getrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
            guard failed == 0, limit.rlim_cur == 0, limit.rlim_max == 0 else { exit(11) }
        }
    }

    /// The kernel gives the files of a process that may not be dumped to root, and closes its
    /// memory to every other user.
    @Test func nobodyMayReadTheProcess() async {
        await #expect(processExitsWith: .success) {
            try ProcessHygiene.harden()
            var status = stat()
            guard stat("/proc/self/environ", &status) == 0 else { exit(10) }
            guard status.st_uid == 0 else { exit(11) }
        }
    }
}
