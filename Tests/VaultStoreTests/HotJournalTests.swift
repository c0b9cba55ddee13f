import FoundationEssentials
internal import Glibc
import Testing
import VaultSQLite

@testable import VaultStore

@Suite struct HotJournalTests {
    @Test func aWriterThatIsKilledHalfWayIsUndone() async throws {
        try await withTemporaryVault { vault in
            let file = try vault.open()
            for index in 0..<20 {
                let name = try #require(AccountName("account-\(index)"))
                _ = try file.insert(Fixture.account(name))
            }
            let (accounts, before) = (
                try file.accounts(after: nil, limit: 99), bytes(of: vault.database)
            )
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [folder = vault.folder as String] in
                let path = TemporaryVault(folder: folder).database
                let connection = try Connection(path: path, mode: .readWrite)
                try DatabaseSettings.applyForWriting(to: connection)
                // A cache too small for the transaction makes it write before it commits.
                try connection.executeScript(
                    """
                    PRAGMA cache_size = 2;
                    BEGIN IMMEDIATE;
                    UPDATE account SET tokens_box = randomblob(9000), name = name || '-x';
                    """
                )
                raise(SIGKILL)
            }
            #expect(bytes(of: vault.database) != before)
            let again = try vault.open()
            #expect(try again.accounts(after: nil, limit: 99) == accounts)
            #expect(bytes(of: vault.database) == before)
        }
    }
}
