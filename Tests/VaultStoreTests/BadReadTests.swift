import FoundationEssentials
import Platform
import Testing

@testable import VaultStore

/// One bad read is no verdict.
@Suite struct BadReadTests {
    private static let codes = [
        FaultyDisk.readError, FaultyDisk.corruptFileSystem, 11, 26,
    ]

    private static func withFaultyVault(_ body: (TemporaryVault) throws -> Void) throws {
        try inTemporaryFolder { folder in
            let vault = TemporaryVault(folder: folder)
            try vault.create()
            let file = try vault.open()
            for name in ["work", "home"] as [AccountName] {
                _ = try file.insert(Fixture.account(name))
            }
            try body(vault)
        }
    }

    /// Fails the n-th read of `body` for every n there is.
    private static func failEach(_ code: Int32, _ body: () throws -> Void) rethrows {
        for skipped in 0..<60 {
            FaultyDisk.set(FaultyDisk.Fault(call: .read, skipped: skipped, code: code))
            try body()
            let failures = FaultyDisk.failures
            FaultyDisk.heal()
            guard failures > 0 else {
                #expect(skipped > 1)
                return
            }
        }
        Issue.record("there was no end of reads")
    }

    @Test("F-32: at opening") func opening() async {
        await #expect(processExitsWith: .success) {
            FaultyDisk.install()
            try Self.withFaultyVault { vault in
                for code in Self.codes {
                    try Self.failEach(code) { _ = try VaultFile(vault.location) }
                }
            }
        }
    }

    @Test("F-32: in a list of accounts") func listing() async {
        await #expect(processExitsWith: .success) {
            FaultyDisk.install()
            try Self.withFaultyVault { vault in
                for code in Self.codes {
                    try Self.failEach(code) {
                        let page = try VaultFile.read(vault.location) { file in
                            try file.unlock(with: .keyFileAt(path: vault.keyFile))
                            return try file.accountPage(after: nil, limit: 10)
                        }
                        #expect(page.accounts.map(\.name) == ["home", "work"])
                        #expect(page.damaged == [])
                    }
                }
            }
        }
    }

    @Test("F-32: where a vault is opened for its reads alone") func reading() async {
        await #expect(processExitsWith: .success) {
            FaultyDisk.install()
            try Self.withFaultyVault { vault in
                for code in Self.codes {
                    try Self.failEach(code) {
                        let account = try VaultFile.read(vault.location) { file in
                            try file.unlock(with: .keyFileAt(path: vault.keyFile))
                            return try file.account(named: "work")
                        }
                        #expect(account.tokens == Fixture.tokens("work"))
                    }
                }
            }
        }
    }

    @Test("F-32: in the reads of a store") func readingAStore() async {
        await #expect(processExitsWith: .success) {
            FaultyDisk.install()
            try Self.withFaultyVault { vault in
                for code in Self.codes {
                    try Self.failEach(code) {
                        let store = try vault.openStore()
                        #expect(try store.account(named: "work").tokens == Fixture.tokens("work"))
                        #expect(try store.accounts(after: nil, limit: 9).count == 2)
                        #expect(try store.accountPage(after: nil, limit: 9).damaged == [])
                        #expect(try store.selectedAccount() != nil)
                    }
                }
            }
        }
    }

    @Test("an I/O error that stays is one, and no verdict on the file") func staying() async {
        await #expect(processExitsWith: .success) {
            FaultyDisk.install()
            try Self.withFaultyVault { vault in
                let store = try vault.openStore()
                let code = FaultyDisk.readError
                // What the store has in memory needs no disk: somebody else's write empties it.
                try vault.open().proveWritable()
                FaultyDisk.set(FaultyDisk.Fault(call: .read, times: 1000, code: code))
                for read in [
                    { _ = try VaultFile(vault.location) },
                    { _ = try store.account(named: "work") },
                    { _ = try store.account(named: "work") },
                ] {
                    do {
                        try read()
                        Issue.record("it was read")
                    } catch let error as StoreError {
                        Issue.record(error)
                    } catch {}
                }
                FaultyDisk.heal()
                #expect(try store.account(named: "work").tokens == Fixture.tokens("work"))
            }
        }
    }
}
