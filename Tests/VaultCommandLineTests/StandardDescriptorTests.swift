import Glibc
import Platform
import Testing

@testable import VaultCommandLine

/// Each in a process of its own, whose standard descriptors it closes.
@Suite struct StandardDescriptorTests {
    /// `vault token >&-` must not print into a file that it opened.
    @Test func nothingTheProgramOpensBecomesAClosedStandardOutput() async {
        await #expect(processExitsWith: .success) {
            close(0)
            close(1)
            close(2)
            try ProcessHygiene.harden()
            let opened = open("/dev/zero", O_RDWR)
            guard opened > 2 else { exit(10) }
            // Data that does not arrive is an error still.
            guard write(1, "x", 1) == -1, errno == EBADF else { exit(11) }
            guard write(2, "x", 1) == -1, errno == EBADF else { exit(12) }
            var byte: UInt8 = 0
            guard read(0, &byte, 1) == -1, errno == EBADF else { exit(13) }
        }
    }

    @Test func dataThatDidNotArriveIsNoSuccess() async {
        await #expect(processExitsWith: .success) {
            close(1)
            try ProcessHygiene.harden()
            guard CommandLineTool().run(["--version"]) == 1 else { exit(10) }
            guard dup2(open("/dev/full", O_WRONLY), 1) == 1 else { exit(11) }
            guard CommandLineTool().run(["help"]) == 1 else { exit(12) }
            // Words that nobody can read are no failure.
            close(2)
            guard CommandLineTool().run(["nonsense"]) == 2 else { exit(13) }
        }
    }

    @Test func openStandardDescriptorsStayWhatTheyAre() async {
        await #expect(processExitsWith: .success) {
            var before = stat()
            guard fstat(1, &before) == 0 else { exit(10) }
            try ProcessHygiene.harden()
            var after = stat()
            guard fstat(1, &after) == 0, before.st_ino == after.st_ino else { exit(11) }
        }
    }

    /// Row F-41 of the fault matrix: a path comes from the environment, and into many words.
    @Test func wordsReachATerminalAsWordsAlone() async {
        await #expect(processExitsWith: .success) {
            var pipe = try Pipe()
            guard dup2(pipe.writing, 2) == 2 else { exit(10) }
            Terminal().words("made a vault in /\u{1b}[2J\n\u{202e}")
            close(2)
            let shown = try pipe.readToEnd(limit: 4096, milliseconds: 5000)
            guard shown == Array("vault: made a vault in /\\u{1b}[2J\\u{a}\\u{202e}\n".utf8) else {
                exit(11)
            }
        }
    }
}
