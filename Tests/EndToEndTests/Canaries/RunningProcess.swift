import Glibc

/// A process that runs, as the kernel shows it to whoever may look.
struct RunningProcess {
    let pid: pid_t
    let arguments: [UInt8]
    /// Nothing where it may not be looked at.
    let environment: [UInt8]

    /// Its program's name, for reports.
    var name: String {
        let first = arguments.prefix { $0 != 0 }.split(separator: UInt8(ascii: "/")).last ?? []
        return String(decoding: first, as: UTF8.self)
    }

    static func all() throws -> [RunningProcess] {
        try Files.names(in: "/proc").compactMap { pid_t($0) }.compactMap { pid in
            // It may have ended meanwhile.
            guard let arguments = try? Files.read("/proc/\(pid)/cmdline"), !arguments.isEmpty
            else { return nil }
            let environment = try? Files.read("/proc/\(pid)/environ")
            return RunningProcess(pid: pid, arguments: arguments, environment: environment ?? [])
        }
    }

    /// Those that were started on a stage, but for its test servers, which know every secret.
    static func all(of stage: Stage) throws -> [RunningProcess] {
        let root = Array(stage.root.utf8)
        let server = Array("vault-test-server".utf8)
        return try all().filter { process in
            (process.arguments + [0] + process.environment).firstRange(of: root) != nil
                && process.arguments.firstRange(of: server) == nil
        }
    }
}
