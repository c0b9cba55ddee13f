import Glibc

/// A program that is made to crash where a core file would be written.
struct Crash {
    private let stage: Stage
    let directory: String

    init(_ stage: Stage) {
        self.stage = stage
        directory = "\(stage.root)/crash"
        mkdir(directory, 0o700)
    }

    /// The program in that directory, with cores of any size allowed as far as it goes.
    func launch(_ path: String, _ arguments: [String]) throws -> Launch {
        let line = #"cd "$1" && shift; ulimit -c unlimited 2>/dev/null; exec "$@""#
        return stage.launch(
            try Programs.system("sh"),
            ["-c", line, "sh", directory, path] + arguments
        )
    }

    /// Whether this kernel writes them into the directory of the program.
    var coresAreFiles: Bool {
        guard let pattern = try? Files.text("/proc/sys/kernel/core_pattern") else { return false }
        return !pattern.hasPrefix("|") && !pattern.hasPrefix("/")
    }

    /// Everything that lies in the directory of the crash.
    func leaks(_ search: LeakSearch) throws -> [Leak] {
        try Files.tree(directory).flatMap { path in
            try search.leaks(.crash, Files.read(path), at: path)
        }
    }

    func files() throws -> [String] { try Files.names(in: directory) }
}
