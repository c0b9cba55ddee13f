import Glibc

/// What programs wrote and which programs they started, as strace saw it: nothing is too short-lived.
struct SystemCallTrace {
    /// Trace files have names that begin with it.
    private let directory: String

    init(in directory: String) {
        self.directory = directory
        mkdir(directory, 0o700)
    }

    /// What goes before a program's words, so that it and all its children are traced.
    ///
    /// The tracer is a process of its own (-D), so that a command returns while an agent that it
    /// started is still looked at. Strings are whole, and all of them as numbers.
    func command() throws -> [String] {
        [
            try Programs.system("strace"), "-D", "-ff", "-q", "-yy", "-xx", "-v", "--seccomp-bpf",
            "-s", "10000000", "-e", "signal=none", "-o", "\(directory)/calls", "-e",
            "trace=execve,write,writev,pwrite64,pwritev,pwritev2,sendto,sendmsg,symlink,symlinkat,"
                + "open,openat,openat2",
        ]
    }

    /// Every call, once the traced programs and their tracers have ended.
    func calls() throws -> [SystemCall] {
        let hasEnded = try poll(seconds: 20, every: 20) {
            try !RunningProcess.all().contains { process in
                process.name.hasSuffix("strace")
                    && process.arguments.firstRange(of: Array(directory.utf8)) != nil
            }
        }
        guard hasEnded else { throw HarnessError("a tracer still runs in \(directory)") }
        let names = try Files.names(in: directory)
        guard !names.isEmpty else { throw HarnessError("strace wrote nothing to \(directory)") }
        return try names.flatMap { name in
            try Files.read("\(directory)/\(name)").split(separator: UInt8(ascii: "\n"))
                .compactMap { SystemCall(line: $0) }
        }
    }
}

/// One call of the kernel.
struct SystemCall {
    let name: String
    /// The descriptor's file or socket, or nothing.
    let target: String
    private let rest: ArraySlice<UInt8>

    init?(line: ArraySlice<UInt8>) {
        guard let open = line.firstIndex(of: UInt8(ascii: "(")),
            line.first != UInt8(ascii: "<"), line.first != UInt8(ascii: "+")
        else { return nil }
        name = String(decoding: line[..<open], as: UTF8.self)
        let words = line[(open + 1)...]
        // A descriptor is a number with its target in angle brackets; targets of sockets have an
        // arrow in them.
        let hasDescriptor = words.first.map { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        let end = hasDescriptor == true ? words.firstRange(of: Array(">, ".utf8)) : nil
        if let end, let start = words.firstIndex(of: UInt8(ascii: "<")), start < end.lowerBound {
            let bytes = Self.decoded(words[(start + 1)..<end.lowerBound])
            target = String(decoding: bytes, as: UTF8.self)
            rest = words[end.upperBound...]
        } else {
            target = ""
            rest = words
        }
    }

    /// Everything that was handed to the kernel.
    var bytes: [UInt8] { Self.decoded(rest) }

    /// The words of a call that opens a file.
    var opening: String? {
        name.hasPrefix("open") ? String(decoding: bytes, as: UTF8.self) : nil
    }

    /// The program of an execve.
    var program: String {
        let end = rest.firstRange(of: Array(", [".utf8))?.lowerBound ?? rest.endIndex
        let bytes = Self.decoded(rest[..<end])
        return String(decoding: bytes, as: UTF8.self).replacing("\"", with: "")
    }

    var arguments: [UInt8] {
        Self.decoded(rest[..<listsBorder])
    }

    var environment: [UInt8] {
        Self.decoded(rest[listsBorder...])
    }

    private var listsBorder: Int {
        rest.firstRange(of: Array("], [".utf8))?.lowerBound ?? rest.endIndex
    }

    /// Whether it put something where it stays or where others look.
    ///
    /// Requests to servers and between command and agent are there to carry secrets; what went to
    /// the outputs and to terminals is looked at there.
    func isForOthers(_ stage: Stage) -> Bool {
        let kinds = ["TCP:", "TCPv6:", "UNIX", "anon_inode:", "/dev/tty<", "/dev/pts/"]
        return !kinds.contains { target.hasPrefix($0) } && !target.hasPrefix(stage.notes)
    }

    /// Whether the agent said it to a client; its end of a connection has the socket's name.
    func isAnswer(of stage: Stage) -> Bool {
        target.hasPrefix("UNIX") && target.contains("agent.sock")
    }

    /// With each \xHH put back into the byte it stands for.
    private static func decoded(_ text: ArraySlice<UInt8>) -> [UInt8] {
        text.withUnsafeBufferPointer { text in
            [UInt8](unsafeUninitializedCapacity: text.count) { bytes, count in
                var index = 0
                while index < text.count {
                    let isEscape = text[index] == 0x5c && index + 3 < text.count
                    if isEscape, text[index + 1] == UInt8(ascii: "x") {
                        bytes[count] = digit(text[index + 2]) << 4 | digit(text[index + 3])
                        index += 4
                    } else {
                        bytes[count] = text[index]
                        index += 1
                    }
                    count += 1
                }
            }
        }
    }

    private static func digit(_ letter: UInt8) -> UInt8 {
        letter <= UInt8(ascii: "9")
            ? letter &- UInt8(ascii: "0") : letter &- UInt8(ascii: "a") &+ 10
    }
}
