import Glibc

/// Checks that this user cannot run: said, never passed over in silence.
enum NotRun {
    static var isRoot: Bool { geteuid() == 0 }

    /// Says it on standard output, and in the file that `make test` shows at its end.
    static func needsRoot(_ check: String) throws {
        try say("not run (needs root): \(check)")
    }

    static func say(_ line: String) throws {
        print(line)
        try Files.append("\(line)\n", to: "\(Programs.packageRoot)/.build/not-run.txt")
    }
}
