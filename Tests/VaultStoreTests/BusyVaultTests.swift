import FoundationEssentials
internal import Glibc
import Platform
import Testing
import VaultCrypto
import VaultSQLite

@testable import VaultStore

/// Many at once, and one that does not let go.
@Suite(.timeLimit(.minutes(2))) struct BusyVaultTests {
    private static let readers = 128
    private static let writers = 4
    private static let rounds = 4

    /// The threads of a crowd, and what they met with.
    private final class Crowd: Sendable {
        private let state: Locked<(errors: [String], left: Int)>

        init(count: Int) {
            state = Locked((errors: [], left: count))
        }

        var isThere: Bool { state.withLock { $0.left > 0 } }
        var errors: [String] { state.withLock { $0.errors } }

        func join(as part: Part, in vault: TemporaryVault) {
            var failure: String?
            do {
                try BusyVaultTests.take(part: part, in: vault)
            } catch {
                failure = "\(error)"
            }
            let errors = failure.map { [$0] } ?? []
            state.withLock { state in
                state.errors += errors
                state.left -= 1
            }
        }
    }

    @Test("F-16: 128 readers and some writers wait for each other, and none is turned away")
    func aCrowd() async throws {
        try await withTemporaryVault { vault in
            _ = try vault.open().insert(Fixture.account("work"))
            let crowd = Crowd(count: Self.readers + Self.writers)
            for number in 0..<Self.readers + Self.writers {
                let part: Part = number < Self.writers ? .write : .read
                try DedicatedThread.start { crowd.join(as: part, in: vault) }
            }
            while crowd.isThere { try await Task.sleep(for: .milliseconds(10)) }
            #expect(crowd.errors == [])
            #expect(try vault.open().accountCount() >= 1 + Self.writers)
        }
    }

    private enum Part: Sendable { case read, write }

    private static func take(part: Part, in vault: TemporaryVault) throws {
        for _ in 1...rounds {
            if part == .write {
                let name = AccountName("a\(Randomness.bytes(count: 8).hexadecimal)")
                _ = try name.map { try vault.open().insert(Fixture.account($0)) }
            }
            let account = try VaultFile.read(vault.location) { file in
                try file.unlock(with: .keyFileAt(path: vault.keyFile))
                return try file.account(named: "work")
            }
            guard account.tokens == Fixture.tokens("work") else { throw StoreError.superseded }
        }
    }

    @Test("F-17: a reader that is stopped is named to the writer that waits for it")
    func aStoppedReader() async throws {
        try await withTemporaryVault { vault in
            let impatient = try VaultFile(vault.location, busyLimit: 0.05)
            try impatient.unlock(with: .keyFileAt(path: vault.keyFile))
            _ = try impatient.insert(Fixture.account("work"))
            let reader = try Self.stoppedReader(of: vault)
            defer { kill(reader, SIGKILL) }
            #expect(LockHolders.first(of: vault.database) == reader)
            #expect(throws: StoreError.busy(holder: reader)) {
                try impatient.insert(Fixture.account("home"))
            }
            // Others still read meanwhile.
            #expect(try vault.open().accountCount() == 1)
            kill(reader, SIGKILL)
            _ = try vault.open().insert(Fixture.account("home"))
        }
    }

    /// Another program that stands still in the middle of a read.
    private static func stoppedReader(of vault: TemporaryVault) throws -> pid_t {
        let program = """
            import os, signal, sqlite3, sys
            database = sqlite3.connect(sys.argv[1], isolation_level=None)
            database.execute("BEGIN")
            database.execute("SELECT count(*) FROM account").fetchone()
            os.close(9)
            os.kill(os.getpid(), signal.SIGSTOP)
            """
        // The shell ends with its one pipe: when the reader has what it wants.
        let script = #"""
            exec 8>&1
            { python3 -c "$1" "$2" 9>&1 >&- 8>&- & echo $! >&8; } | cat >&2
            """#
        let ended = try ChildProcess.run(
            ["sh", "-c", script, "sh", program, vault.database],
            folder: vault.folder
        )
        let text = String(decoding: ended.output, as: UTF8.self)
        return try #require(pid_t(text.filter(\.isNumber)))
    }
}
