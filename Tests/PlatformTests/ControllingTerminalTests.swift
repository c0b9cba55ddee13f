import Glibc
import Platform
import Testing

/// Each in a process of its own, which is given a pseudo-terminal as its controlling one.
///
/// Row F-66 of the fault matrix. That a program ends by the signal, and what the person then sees,
/// is in the end-to-end tests.
@Suite struct ControllingTerminalTests {
    @Test func echoIsOffWhileItIsTypedAndBackAfterwards() async {
        await #expect(processExitsWith: .success) {
            let terminal = try OwnTerminal()
            guard ControllingTerminal.isThere, terminal.echoes else { exit(10) }
            try DedicatedThread.start {
                terminal.waitForPrompt("Passphrase: ")
                if terminal.echoes { exit(11) }
                terminal.type("pässword and blanks \n")
            }
            let line = try ControllingTerminal.ask("Passphrase: ", isHidden: true, limit: 64)
            guard line == Array("pässword and blanks ".utf8) else { exit(12) }
            guard terminal.echoes else { exit(13) }
            // A line feed, and nothing of what was typed.
            guard terminal.shown() == "\r\n" else { exit(14) }
        }
    }

    @Test func anOrdinaryQuestionShowsItsAnswer() async {
        await #expect(processExitsWith: .success) {
            let terminal = try OwnTerminal()
            try DedicatedThread.start {
                terminal.waitForPrompt("Which? ")
                terminal.type("2\n")
            }
            let line = try ControllingTerminal.ask("Which? ", isHidden: false, limit: 64)
            guard line == Array("2".utf8), terminal.shown() == "2\r\n" else { exit(10) }
        }
    }

    @Test func aLineThatIsTooLongIsRefusedAsAWhole() async {
        await #expect(processExitsWith: .success) {
            let terminal = try OwnTerminal()
            try DedicatedThread.start {
                terminal.waitForPrompt("? ")
                terminal.type("12345678\n")
                terminal.waitForPrompt("? ")
                terminal.type("123456789\n")
                terminal.waitForPrompt("? ")
                terminal.type("next\n")
            }
            let whole = try ControllingTerminal.ask("? ", isHidden: true, limit: 8)
            guard whole.count == 8 else { exit(10) }
            guard failureOfAsking() == .lineTooLong else { exit(11) }
            guard try ControllingTerminal.ask("? ", isHidden: true, limit: 8) == Array("next".utf8)
            else { exit(13) }
        }
    }

    @Test func endOfInputIsNotAnEmptyLine() async {
        await #expect(processExitsWith: .success) {
            let terminal = try OwnTerminal()
            try DedicatedThread.start {
                terminal.waitForPrompt("? ")
                terminal.type("\u{4}")
                terminal.waitForPrompt("? ")
                terminal.type("\n")
            }
            guard failureOfAsking() == .inputEnded, terminal.echoes else { exit(10) }
            guard try ControllingTerminal.ask("? ", isHidden: true, limit: 8).isEmpty else {
                exit(12)
            }
        }
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP, SIGQUIT])
    func aSignalFindsTheTerminalAsItWas(signal: Int32) async {
        await #expect(processExitsWith: .success) { [signal] in
            let terminal = try OwnTerminal()
            let handler: @convention(c) (Int32) -> Void = { _ in
                var now = termios()
                tcgetattr(0, &now)
                _exit(now.c_lflag & UInt32(ECHO) != 0 ? 0 : 10)
            }
            Glibc.signal(signal, handler)
            try DedicatedThread.start {
                terminal.waitForPrompt("? ")
                if terminal.echoes { exit(11) }
                terminal.type("half")
                kill(getpid(), signal)
            }
            _ = try? ControllingTerminal.ask("? ", isHidden: true, limit: 8)
            exit(12)
        }
    }

    @Test func anIgnoredSignalStaysIgnored() async {
        await #expect(processExitsWith: .success) {
            let terminal = try OwnTerminal()
            Glibc.signal(SIGHUP, SIG_IGN)
            try DedicatedThread.start {
                terminal.waitForPrompt("? ")
                kill(getpid(), SIGHUP)
                terminal.type("answer\n")
            }
            let line = try ControllingTerminal.ask("? ", isHidden: true, limit: 8)
            guard line == Array("answer".utf8) else { exit(10) }
        }
    }

    @Test func afterSIGCONTItAsksAgainWithEchoOff() async {
        await #expect(processExitsWith: .success) {
            let terminal = try OwnTerminal()
            try DedicatedThread.start {
                terminal.waitForPrompt("? ")
                terminal.type("half")
                kill(getpid(), SIGCONT)
                terminal.waitForPrompt("? ")
                if terminal.echoes { exit(11) }
                terminal.type("whole\n")
            }
            let line = try ControllingTerminal.ask("? ", isHidden: true, limit: 8)
            guard line == Array("whole".utf8), terminal.echoes else { exit(10) }
        }
    }

    @Test func withoutATerminalThereIsNobodyToAsk() async {
        await #expect(processExitsWith: .success) {
            setsid()
            guard !ControllingTerminal.isThere else { exit(10) }
            guard failureOfAsking() == .noTerminal else { exit(11) }
        }
    }
}

private func failureOfAsking() -> SystemError? {
    do throws(SystemError) {
        _ = try ControllingTerminal.ask("? ", isHidden: true, limit: 8)
        return nil
    } catch {
        return error
    }
}

/// A pseudo-terminal that becomes the controlling one of this process, whose standard input it
/// also is.
private final class OwnTerminal: Sendable {
    private let person: Int32

    init() throws(SystemError) {
        setsid()
        // Whatever waits for ever ends.
        alarm(20)
        person = open("/dev/ptmx", O_RDWR | O_NOCTTY)
        // TIOCSPTLCK and TIOCGPTN (ioctl_tty(2)), which Swift does not see.
        var isLocked: Int32 = 0
        var number: Int32 = 0
        guard person >= 0, ioctl(person, 0x4004_5431, &isLocked) == 0,
            ioctl(person, 0x8004_5430, &number) == 0
        else { throw SystemError(number: errno) }
        // A session leader gets its controlling terminal by opening one.
        let side = open("/dev/pts/\(number)", O_RDWR)
        guard side >= 0, dup2(side, 0) == 0 else { throw SystemError(number: errno) }
    }

    var echoes: Bool {
        var now = termios()
        return tcgetattr(0, &now) == 0 && now.c_lflag & UInt32(ECHO) != 0
    }

    func type(_ text: String) {
        try? Descriptor.write(text, to: person)
    }

    /// Reads what is shown until it ends with the prompt; ends the process if that takes too long.
    func waitForPrompt(_ prompt: String) {
        var shown = ""
        let end = ContinuousClock.now + .seconds(10)
        while !shown.hasSuffix(prompt) {
            guard ContinuousClock.now < end else { exit(20) }
            shown += self.shown()
        }
    }

    /// What is shown by now.
    func shown() -> String {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 256)
        while Descriptor.waitReadable([person], milliseconds: 20)[0] {
            let count = read(person, &chunk, chunk.count)
            guard count > 0 else { break }
            bytes += chunk[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
