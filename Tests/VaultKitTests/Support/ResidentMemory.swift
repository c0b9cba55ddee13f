import FoundationEssentials

/// What this process has in memory, as the kernel counts it (proc_pid_status(5)).
enum ResidentMemory {
    /// Bytes.
    static var now: Double { bytes("VmRSS:") }

    /// A sanitizer's memory is not ours, and says nothing about it.
    static var isSanitized: Bool {
        let maps = (try? String(contentsOfFile: "/proc/self/maps", encoding: .utf8)) ?? ""
        return bytes("VmSize:") > 1e12 || maps.contains("_san")
    }

    private static func bytes(_ field: String) -> Double {
        let text = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix(field) }
        return (line?.split { !$0.isNumber }.first.flatMap { Double($0) } ?? .nan) * 1024
    }
}
