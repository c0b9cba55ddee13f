import Glibc

/// A person at the terminal of a program, which is a pseudo-terminal of the test's.
final class Person {
    private let hand: Int32
    let side: Int32
    /// Everything the terminal has shown.
    private(set) var seen = ""
    private var read = 0

    init() throws {
        hand = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK)
        // TIOCSPTLCK and TIOCGPTN (ioctl_tty(2)), which Swift does not see.
        var isLocked: Int32 = 0
        var number: Int32 = 0
        guard hand >= 0, ioctl(hand, 0x4004_5431, &isLocked) == 0,
            ioctl(hand, 0x8004_5430, &number) == 0
        else { throw HarnessError("no pseudo-terminal: errno \(errno)") }
        side = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard side >= 0 else { throw HarnessError("no pseudo-terminal: errno \(errno)") }
    }

    deinit {
        close(hand)
        close(side)
    }

    /// Waits for a question that was not answered yet, and types a line.
    func answer(_ question: String, _ text: String) throws {
        let isAsked = try poll(seconds: 30) {
            self.look()
            return self.seen.utf8.dropFirst(self.read).hasSuffix(question)
        }
        guard isAsked else { throw HarnessError("not asked '\(question)': \(seen)") }
        read = seen.utf8.count
        let line = Array("\(text)\n".utf8)
        guard write(hand, line, line.count) == line.count else {
            throw HarnessError("cannot type: errno \(errno)")
        }
    }

    /// Reads what is shown by now.
    func look() {
        var chunk = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = Glibc.read(hand, &chunk, chunk.count)
            guard count > 0 else { return }
            seen += String(decoding: chunk[..<count], as: UTF8.self)
                .replacing("\r\n", with: "\n")
        }
    }
}

extension Substring.UTF8View {
    fileprivate func hasSuffix(_ text: String) -> Bool {
        suffix(text.utf8.count).elementsEqual(text.utf8)
    }
}

extension Stage {
    /// Runs `vault` with a person at its controlling terminal, which is its standard input too.
    func atTerminal(
        _ arguments: [String],
        _ talk: (Person) throws -> Void
    ) throws -> Ended {
        let person = try Person()
        var launch = try vaultLaunch(arguments)
        launch.terminal = person.side
        let run = try start(launch)
        try talk(person)
        return try finish(run)
    }
}
