import Glibc

/// How a program ended, and what it said.
struct Ended: CustomStringConvertible {
    let command: [String]
    let code: Int32
    let stdout: [UInt8]
    let stderr: [UInt8]
    let seconds: Double

    var out: String { String(decoding: stdout, as: UTF8.self) }
    var err: String { String(decoding: stderr, as: UTF8.self) }
    /// Standard output without the line feed at its end, as `$(…)` gives it.
    var word: String { out.hasSuffix("\n") ? String(out.dropLast()) : out }

    /// What was said to `vault`, whatever went before it; nothing where it was not `vault`.
    var words: ArraySlice<String> {
        let program = command.firstIndex { $0.hasSuffix("/bin/vault") }
        return program.map { command[($0 + 1)...] } ?? []
    }

    /// The lines of standard error that say what went wrong.
    var errorLines: [Substring] {
        err.split(separator: "\n").filter { $0.hasPrefix("vault: error: ") }
    }

    var description: String {
        "\(command.joined(separator: " ")) -> \(code)\n\(err)"
    }
}

/// A program that was started, with its output going to files.
struct Run {
    let process: ChildProcess
    let command: [String]
    let outputPath: String
    let errorPath: String
    let began: ContinuousClock.Instant

    var stderrSoFar: String { (try? Files.text(errorPath)) ?? "" }
    var stdoutSoFar: String { (try? Files.text(outputPath)) ?? "" }

    func wait(seconds: Double = 60) throws -> Ended {
        do {
            let code = try process.wait(seconds: seconds)
            let elapsed = began.duration(to: .now)
            return Ended(
                command: command,
                code: code,
                stdout: (try? Files.read(outputPath)) ?? [],
                stderr: try Files.read(errorPath),
                seconds: elapsed / .seconds(1)
            )
        } catch {
            throw HarnessError("\(error): \(command.joined(separator: " "))\n\(stderrSoFar)")
        }
    }
}

/// Where a program's standard output goes.
enum Output {
    case file
    case descriptor(Int32)
}

/// What a test asks of a program's start.
struct Launch {
    var path: String
    var arguments: [String]
    var environment: [String: String]
    /// Standard input; empty unless told.
    var input: [UInt8] = []
    /// More descriptors, with what can be read from them.
    var descriptors: [Int32: String] = [:]
    var output = Output.file
    /// The terminal it is started from, in place of its standard input.
    var terminal: PseudoTerminal?
    /// Whether it waits for SIGCONT before it becomes the program.
    var isHeldBack = false

    /// Starts it, with its files in `directory` under names that begin with `name`.
    func start(in directory: String, as name: String) throws -> Run {
        var opened: [Int32] = []
        defer { opened.forEach { close($0) } }
        func open(_ path: String, _ flags: Int32) throws -> Int32 {
            let low = Glibc.open(path, flags | O_CLOEXEC, 0o600)
            guard low >= 0 else { throw HarnessError("cannot open \(path): errno \(errno)") }
            // Out of the way of the numbers the child is to have.
            let descriptor = fcntl(low, F_DUPFD_CLOEXEC, 100)
            close(low)
            opened.append(descriptor)
            return descriptor
        }
        let base = "\(directory)/\(name)"
        try Files.write(input, to: "\(base).in")
        var map: [Int32: Int32] = [
            0: try open("\(base).in", O_RDONLY),
            2: try open("\(base).err", O_WRONLY | O_CREAT | O_TRUNC),
        ]
        switch output {
        case .file: map[1] = try open("\(base).out", O_WRONLY | O_CREAT | O_TRUNC)
        case .descriptor(let descriptor): map[1] = descriptor
        }
        for (number, content) in descriptors {
            try Files.write(content, to: "\(base).\(number)")
            map[number] = try open("\(base).\(number)", O_RDONLY)
        }
        let start = isHeldBack ? try heldBack() : (path, arguments)
        let process = try ChildProcess(
            start.0,
            start.1,
            environment: environment,
            descriptors: map,
            terminal: terminal?.path
        )
        return Run(
            process: process,
            command: [path] + arguments,
            outputPath: "\(base).out",
            errorPath: "\(base).err",
            began: .now
        )
    }

    private func heldBack() throws -> (String, [String]) {
        let line = #"kill -STOP $$; exec "$@""#
        return (try Programs.system("sh"), ["-c", line, "sh", path] + arguments)
    }
}
