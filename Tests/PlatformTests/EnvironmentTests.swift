import Glibc
import Testing

@testable import Platform

@Suite struct EnvironmentTests {
    /// In a process of its own, whose environment it throws away.
    @Test func onlyTheNamedVariablesAreKept() async {
        await #expect(processExitsWith: .success) {
            setenv("KEPT", "a=b", 1)
            setenv("EMPTY", "", 1)
            setenv("SSLKEYLOGFILE", "/tmp/keys", 1)
            unsetenv("ABSENT")
            Environment.keepOnly(["KEPT", "EMPTY", "ABSENT"])
            guard Environment["KEPT"] == "a=b" else { exit(10) }
            guard getenv("EMPTY") != nil else { exit(11) }
            guard getenv("SSLKEYLOGFILE") == nil, getenv("ABSENT") == nil else { exit(12) }
            guard getenv("PATH") == nil else { exit(13) }
        }
    }
}
