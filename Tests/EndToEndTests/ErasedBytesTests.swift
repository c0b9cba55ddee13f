import Glibc
import Testing

extension EndToEndTests {
    /// What was removed is not in any file of the vault any more, as bytes and not only to SQL.
    @Suite struct ErasedBytesTests {
        /// Pieces of what columns hold, each long enough to be nobody else's.
        private struct Pieces {
            var all: Set<[UInt8]>

            init(_ columns: [[UInt8]]) {
                all = Set(
                    columns.flatMap { column in
                        stride(from: 0, through: column.count - 16, by: 16).map {
                            Array(column[$0..<$0 + 16])
                        }
                    }
                )
            }

            /// The files that hold one of them.
            func files(below directories: [String]) throws -> [String] {
                try directories.flatMap { try Files.tree($0) }.filter { path in
                    let content = try Files.read(path)
                    return all.contains { SecretSearch.contains(content, $0) }
                }
            }
        }

        private static func column(
            _ query: String,
            _ stage: Stage
        ) throws -> [[UInt8]] {
            let ended = try stage.system("sqlite3", ["-readonly", stage.database, query])
            guard ended.code == 0 else { throw HarnessError("sqlite3: \(ended)") }
            return ended.out.split(separator: "\n").map { line in
                let digits = line.compactMap(\.hexDigitValue).map { UInt8($0) }
                return stride(from: 0, to: digits.count - 1, by: 2).map {
                    digits[$0] << 4 | digits[$0 + 1]
                }
            }
        }

        private static func pieces(
            _ columns: [String],
            _ row: String,
            _ stage: Stage
        ) throws
            -> Pieces
        {
            Pieces(
                try columns.flatMap { try column("SELECT hex(\($0)) FROM \(row)", stage) }
            )
        }

        /// A backup of the vault's own, as the agent makes one a day.
        private static func backUp(_ stage: Stage) throws -> String {
            let folder = "\(stage.vaultHome)/backups"
            mkdir(folder, 0o700)
            let backup = "\(folder)/daily-2026-01-01.db"
            let ended = try stage.vault("backup", backup)
            guard ended.code == 0 else { throw HarnessError("\(ended)") }
            return backup
        }

        private static func directories(of stage: Stage) -> [String] {
            [stage.vaultHome, stage.home, stage.temporary, stage.stateHome]
        }

        @Test func ofAnAccountThatWasRemoved() throws {
            try withStage { stage in
                let server = try stage.startServer()
                try stage.initialize()
                for name in ["before", "erased-account-name", "after"] {
                    try stage.add(name, from: server)
                    try stage.vault("refresh", name)
                }
                // Not the random identifier: the list of spent tokens outlives the account.
                let columns = ["account_box", "tokens_box", "refresh_token_hash"]
                let row = "account WHERE name = 'erased-account-name'"
                let pieces = try Self.pieces(columns, row, stage)
                let name = Pieces([Array("erased-account-name".utf8)])
                #expect(pieces.all.count > 30)
                #expect(try pieces.files(below: [stage.vaultHome]).contains(stage.database))
                let backup = try Self.backUp(stage)

                let removed = try stage.vault("remove", "erased-account-name")
                #expect(removed.code == 0 && removed.err.contains(backup), "\(removed)")
                let places = try pieces.files(below: Self.directories(of: stage))
                #expect(places == [backup], "\(places)")
                // The logs, the vault's and the agent's, say what was done to which account, and
                // nothing else of it.
                let named = try name.files(below: Self.directories(of: stage))
                let logs = [stage.log, stage.database]
                #expect(named.filter { !logs.contains($0) } == [backup], "\(named)")

                let purged = try stage.vault("remove", "before", "--purge-backups")
                #expect(purged.code == 0 && purged.err.contains(backup), "\(purged)")
                #expect(try pieces.files(below: Self.directories(of: stage)).isEmpty)
                #expect(!Files.exists(backup))
                #expect(try stage.vault("token", "after").code == 0)
            }
        }

        enum Change: String, CaseIterable {
            case remove, change, rekey

            func words(_ number: Int) -> [String] {
                switch self {
                case .remove: ["key", "remove", "\(number)"]
                case .change: ["key", "change", "\(number)", "--new-passphrase-fd", "5"]
                case .rekey: ["key", "rekey", "--drop", "\(number)"]
                }
            }
        }

        @Test(arguments: Change.allCases)
        func ofAKeySlotThatWasClosed(change: Change) throws {
            try withStage { stage in
                try stage.initialize()
                let other = "\(stage.stateHome)/a-key-file-that-is-dropped.key"
                func makeSlot() throws {
                    let added = try stage.vault(
                        change == .remove
                            ? ["key", "add", "key-file", other]
                            : ["key", "add", "passphrase", "--new-passphrase-fd", "5"],
                        descriptors: [5: "another way in"]
                    )
                    #expect(added.code == 0, "\(added)")
                }
                for more in [[], ["--purge-backups"]] {
                    if change != .change || more.isEmpty { try makeSlot() }
                    let number = try Self.column("SELECT hex(max(number)) FROM key_slot", stage)
                    let columns = ["salt", "commitment", "root_key_box"]
                    let row = "key_slot ORDER BY number DESC LIMIT 1"
                    var pieces = try Self.pieces(columns, row, stage)
                    pieces.all.remove([UInt8](repeating: 0, count: 16))
                    #expect(pieces.all.count >= 6)
                    let backup = try Self.backUp(stage)
                    let slot = try #require(
                        number.first.map { String(decoding: $0, as: UTF8.self) }
                    )
                    let words = change.words(try #require(Int(slot)))
                    let ended = try stage.vault(words + more, descriptors: [5: "one more way"])
                    #expect(ended.code == 0 && ended.err.contains(backup), "\(ended)")
                    let places = try pieces.files(below: Self.directories(of: stage))
                    #expect(places == (more.isEmpty ? [backup] : []), "\(places)")
                    if more.isEmpty { #expect(unlink(backup) == 0) }
                    #expect(!Files.exists(backup))
                    if change == .remove { unlink(other) }
                }
            }
        }

        @Test func ofTheDataKeyAndTheRecordsUnderIt() throws {
            try withStage { stage in
                let server = try stage.startServer()
                try stage.initialize()
                try stage.add("work", from: server)
                let records = try Self.pieces(["account_box", "tokens_box"], "account", stage)
                let keyring = try Self.pieces(["keyring_box"], "vault", stage)
                let backup = try Self.backUp(stage)
                #expect(try stage.vault("key", "rotate").code == 0)
                for pieces in [records, keyring] {
                    let places = try pieces.files(below: Self.directories(of: stage))
                    #expect(places == [backup], "\(places)")
                }
            }
        }
    }
}
