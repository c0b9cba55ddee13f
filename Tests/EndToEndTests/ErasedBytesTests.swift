import Glibc
import Testing

extension EndToEndTests {
    /// What was removed is not in any file of the vault any more, as bytes and not only to SQL.
    @Suite struct ErasedBytesTests {
        /// Pieces of what columns hold, each long enough to be nobody else's.
        private struct Pieces {
            let all: Set<[UInt8]>

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
            func files(below directories: String...) throws -> [String] {
                try directories.flatMap { try Files.tree($0) }.filter { path in
                    let content = try Files.read(path)
                    return all.contains { piece in content.firstRange(of: piece) != nil }
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

        @Test func ofAnAccountThatWasRemoved() throws {
            try withStage { stage in
                let server = try stage.startServer()
                try stage.initialize()
                for name in ["before", "erased-account-name", "after"] {
                    try stage.add(name, from: server)
                    try stage.vault("refresh", name)
                }
                // Not the random identifier: the list of spent tokens outlives the account.
                let boxes = ["account_box", "tokens_box", "refresh_token_hash"]
                let pieces = Pieces(
                    try boxes.flatMap {
                        try Self.column(
                            "SELECT hex(\($0)) FROM account WHERE name = 'erased-account-name'",
                            stage
                        )
                    }
                )
                #expect(pieces.all.count > 30)
                #expect(try pieces.files(below: stage.vaultHome).contains(stage.database))
                #expect(try stage.vault("remove", "erased-account-name").code == 0)
                let places = try pieces.files(below: stage.vaultHome, stage.home, stage.temporary)
                #expect(places.isEmpty, "\(places)")
                let name = Pieces([Array("erased-account-name".utf8)])
                let named = try name.files(below: stage.vaultHome, stage.home, stage.temporary)
                // The log says what was done to which account, and nothing else of it.
                #expect(named.filter { $0 != stage.log }.isEmpty, "\(named)")
                for name in ["before", "after"] {
                    #expect(try stage.vault("token", name).code == 0)
                }
            }
        }
    }
}
