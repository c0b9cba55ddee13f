import Glibc
import Testing

extension EndToEndTests {
    /// What root finds in the memory of an agent.
    ///
    /// Row F-55 of the fault matrix.
    @Suite struct LockedMemoryTests {
        private static let passphrase = "canary-passphrase-of-memory"
        private static let refreshToken = "canary-refresh-token-of-memory"

        @Test func neitherPassphraseNorRefreshTokenIsLeft() throws {
            guard NotRun.isRoot else { return try NotRun.needsRoot("the memory of the agent") }
            try withStage { stage in
                for words in [["init"], ["unlock"]] {
                    let ended = try stage.vault(
                        words + ["--passphrase-fd", "3"],
                        descriptors: [3: Self.passphrase]
                    )
                    #expect(ended.code == 0, "\(ended)")
                }
                let added = try stage.vault(
                    [
                        "add", "work", "--token-endpoint", "https://127.0.0.1:1/", "--client-id",
                        "c",
                    ],
                    input: """
                        {"access_token":"a","token_type":"Bearer","expires_in":7200,\
                        "refresh_token":"\(Self.refreshToken)"}
                        """
                )
                #expect(added.code == 0, "\(added)")
                let memory = try ProcessMemory(stage.requireAgent())
                // It can be found where it is: what the agent was started with.
                #expect(try memory.contains("VAULT_HOME=\(stage.vaultHome)"))
                #expect(try stage.vault("lock").code == 0)
                for secret in [Self.passphrase, Self.refreshToken] {
                    #expect(try !memory.contains(secret), "\(secret)")
                }
            }
        }
    }
}

/// The memory of another process, which only root may read.
private struct ProcessMemory {
    private let pid: pid_t

    init(_ pid: pid_t) {
        self.pid = pid
    }

    func contains(_ text: String) throws -> Bool {
        let memory = open("/proc/\(pid)/mem", O_RDONLY | O_CLOEXEC)
        guard memory >= 0 else { throw HarnessError("no memory of \(pid): errno \(errno)") }
        defer { close(memory) }
        let wanted = Array(text.utf8)
        return try Files.text("/proc/\(pid)/maps").split(separator: "\n").contains { line in
            Self.range(of: line).map { Self.contains(wanted, in: memory, $0) } ?? false
        }
    }

    /// The addresses of a line of proc_pid_maps(5) that may be read.
    private static func range(of line: Substring) -> Range<Int>? {
        let words = line.split(separator: " ")
        let ends = words[0].split(separator: "-").compactMap { Int($0, radix: 16) }
        guard words[1].hasPrefix("r"), ends.count == 2 else { return nil }
        return ends[0]..<ends[1]
    }

    private static func contains(_ wanted: [UInt8], in memory: Int32, _ range: Range<Int>) -> Bool {
        let step = 1 << 20
        var chunk = [UInt8](repeating: 0, count: step + wanted.count)
        for start in stride(from: range.lowerBound, to: range.upperBound, by: step) {
            // What is reserved and was never touched cannot be read.
            let size = min(chunk.count, range.upperBound - start)
            let count = pread(memory, &chunk, size, start)
            guard count >= wanted.count else { continue }
            if chunk.withUnsafeBytes({ find(wanted, in: $0.prefix(count)) }) { return true }
        }
        return false
    }

    private static func find(_ wanted: [UInt8], in bytes: Slice<UnsafeRawBufferPointer>) -> Bool {
        guard var place = bytes.base.baseAddress, let first = wanted.first else { return false }
        let end = place + bytes.count - wanted.count
        while place <= end, let next = memchr(place, Int32(first), end - place + 1) {
            if memcmp(next, wanted, wanted.count) == 0 { return true }
            place = UnsafeRawPointer(next) + 1
        }
        return false
    }
}
