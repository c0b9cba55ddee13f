import Glibc

/// A terminal: the test is the person at it, and one program has it as its own.
final class PseudoTerminal {
    /// What the program opens.
    let path: String
    private let person: Int32
    /// As it came: a character may come in two parts.
    private var bytes: [UInt8] = []
    /// All that was shown when somebody last looked.
    private(set) var shown = ""

    init() throws {
        person = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        // TIOCSPTLCK and TIOCGPTN (ioctl_tty(2)), which Swift does not see.
        var isLocked: Int32 = 0
        var number: Int32 = 0
        guard person >= 0, ioctl(person, 0x4004_5431, &isLocked) == 0,
            ioctl(person, 0x8004_5430, &number) == 0
        else { throw HarnessError("no pseudo-terminal: errno \(errno)") }
        path = "/dev/pts/\(number)"
    }

    deinit {
        hangUp()
    }

    /// Takes the terminal away.
    func hangUp() {
        close(person)
    }

    /// Whether what is typed shows.
    var echoes: Bool {
        var now = termios()
        return tcgetattr(person, &now) == 0 && now.c_lflag & UInt32(ECHO) != 0
    }

    /// Makes its window as large, as one does with a mouse.
    func resize(columns: UInt16, rows: UInt16) {
        var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        // TIOCSWINSZ (ioctl_tty(2)), which Swift does not see.
        _ = ioctl(person, 0x5414, &size)
    }

    func type(_ text: String) {
        let bytes = Array(text.utf8)
        _ = write(person, bytes, bytes.count)
    }

    /// Waits until something is shown that was not before, and returns all that came up to it.
    func wait(for text: String) throws {
        let start = shown.count
        guard try poll(seconds: 20, { self.read().dropFirst(start).contains(text) }) else {
            throw HarnessError("the terminal shows '\(shown)' and not '\(text)'")
        }
    }

    /// All that was shown by now.
    @discardableResult
    func read() -> String {
        var entry = pollfd(fd: person, events: Int16(POLLIN), revents: 0)
        var chunk = [UInt8](repeating: 0, count: 256)
        while Glibc.poll(&entry, 1, 0) > 0 {
            let count = Glibc.read(person, &chunk, chunk.count)
            guard count > 0 else { break }
            bytes += chunk[..<count]
        }
        shown = String(decoding: bytes, as: UTF8.self)
        return shown
    }
}
