import FoundationEssentials
import OAuth
import Platform
import Testing
import VaultCrypto
import VaultSQLite

@testable import VaultStore

/// Writes of several accounts in one transaction.
@Suite(.timeLimit(.minutes(2))) struct SharedCommitTests {
    private func add(_ count: Int, to file: VaultFile) throws -> [StoredAccount] {
        try (1...count).map { number in
            try file.insert(Fixture.account(#require(AccountName("account\(number)"))))
        }
    }

    private func claim(_ account: StoredAccount) -> WaitingWrite<Claim> {
        WaitingWrite { try $0.claim(account, intent: Fixture.intent([1])) }
    }

    @Test("nobody is told of a write before the commit that it shares")
    func silentUntilTheCommit() async throws {
        try await withTemporaryVault { vault in
            let file = try vault.open()
            let accounts = try add(2, to: file)
            let first = claim(accounts[0])
            let wasTold = Locked(true)
            let second = WaitingWrite { file in
                wasTold.withLock { $0 = first.outcome != nil }
                return try file.claim(accounts[1], intent: Fixture.intent([1]))
            }
            file.write([first, second])
            #expect(!wasTold.withLock { $0 })
            #expect(try first.outcome?.get().account == accounts[0].id)
            #expect(try second.outcome?.get().account == accounts[1].id)
        }
    }

    @Test("one that comes too late takes nothing from the others, and leaves nothing of its own")
    func superseded() async throws {
        try await withTemporaryVault { vault in
            let file = try vault.open()
            let accounts = try add(3, to: file)
            _ = try file.replace(accounts[1], with: Fixture.account("account2", grant: "new"))
            let writes = accounts.map(claim)
            file.write(writes)
            #expect(throws: StoreError.superseded) { try writes[1].outcome?.get() }
            #expect(try writes[0].outcome?.get().account == accounts[0].id)
            #expect(try writes[2].outcome?.get().account == accounts[2].id)
            let intents = try vault.open().accounts(after: nil, limit: 10).map { $0.intent != nil }
            #expect(intents == [true, false, true])
        }
    }

    @Test("a row that does not open is the matter of its own write")
    func damagedRow() async throws {
        try await withTemporaryVault { vault in
            let file = try vault.open()
            let claims = try add(3, to: file).map { account in
                try file.claim(account, intent: Fixture.intent([1]))
            }
            try file.connection.execute(
                "UPDATE account SET tokens_box = zeroblob(600) WHERE name = 'account2'"
            )
            let end = Abandonment(
                health: StoredAccount.Health(state: .backingOff, due: Fixture.now),
                outcomeIsUnknown: false
            )
            let writes = claims.map { claim in
                WaitingWrite { try $0.abandon(claim, as: end) }
            }
            file.write(writes)
            #expect(throws: StoreError.tampered(.account("account2"))) {
                try writes[1].outcome?.get()
            }
            for (write, name) in [(writes[0], "account1"), (writes[2], "account3")] {
                try write.outcome?.get()
                let name = try #require(AccountName(name))
                #expect(try vault.open().account(named: name).health.state == .backingOff)
            }
        }
    }

    @Test("a lock that stays is waited for once, not once for each")
    func busy() async throws {
        try await withTemporaryVault { vault in
            let file = try vault.open()
            let accounts = try add(20, to: file)
            let impatient = try VaultFile(vault.location, busyLimit: 0.05)
            try impatient.unlock(with: .keyFileAt(path: vault.keyFile))
            let writes = accounts.map(claim)
            let start = Uptime.seconds()
            try file.connection.write { impatient.write(writes) }
            #expect(Uptime.seconds() - start < 0.5)
            for write in writes {
                let error = #expect(throws: StoreError.self) { try write.outcome?.get() }
                guard case .busy = error else {
                    Issue.record("\(String(describing: error))")
                    continue
                }
            }
        }
    }

    @Test("whom a write called that is rolled back is not remembered as called")
    func calls() async throws {
        struct Stop: Error {}
        try await withTemporaryVault { vault in
            let file = try vault.open()
            let account = try file.insert(Fixture.account("a", of: Fixture.client))
            let hashes = ClientHashes(account.settings, try file.currentKeyring())
            let call = WaitingCall(mended: Fixture.now, next: Fixture.now)
            file.calls[hashes.client] = call
            let mend: @Sendable (VaultFile) throws -> Void = { file in
                try file.update(hashes, at: Fixture.now) { $0.refused = [account.id] }
                throw Stop()
            }
            #expect(throws: Stop.self) { try file.write { try mend(file) } }
            #expect(file.calls[hashes.client] != nil)
            let write = WaitingWrite { file in
                try file.writeSharing(confirming: { _ in false }) { try mend(file) }
            }
            let other = WaitingWrite { file in
                try file.writeSharing(confirming: { _ in true }) {}
            }
            file.write([write, other])
            #expect(throws: Stop.self) { try write.outcome?.get() }
            #expect(file.calls[hashes.client] != nil)
        }
    }

    @Test("500 claims at once: each is durable before its caller has it")
    func manyAtOnce() async throws {
        try await withTemporaryVault { vault in
            let file = try vault.open()
            try file.proveWritable()
            try file.connection.execute("PRAGMA synchronous = OFF")
            let accounts = try add(500, to: file)
            let store = try vault.openStore()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for account in accounts {
                    group.addTask {
                        let intent = Fixture.intent([1], attempt: Int(account.number))
                        let claim = try await store.claim(
                            account,
                            intent: intent,
                            turn: ClaimTurn()
                        )
                        #expect(claim.account == account.id && claim.intent == intent)
                        #expect(try store.account(account.id)?.intent == intent)
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    /// A claim, an install, an end, and one that comes too late.
    private struct Group {
        let claim: WaitingWrite<Claim>
        let install: WaitingWrite<InstallOutcome>
        let end: WaitingWrite<Void>
        let late: WaitingWrite<Claim>

        init(_ file: VaultFile) throws {
            let names = ["a", "b", "c", "d"] as [AccountName]
            let accounts = try names.map { try file.insert(Fixture.account($0)) }
            _ = try file.replace(accounts[3], with: Fixture.account("d", grant: "new"))
            let installed = try file.claim("b")
            let ended = try file.claim("c")
            claim = WaitingWrite { try $0.claim(accounts[0], intent: Fixture.intent([1])) }
            install = WaitingWrite { try $0.install(Fixture.pair("next"), for: installed) }
            let end = Abandonment(
                health: StoredAccount.Health(state: .backingOff, due: Fixture.now),
                outcomeIsUnknown: false
            )
            self.end = WaitingWrite { try $0.abandon(ended, as: end) }
            late = WaitingWrite { try $0.claim(accounts[3], intent: Fixture.intent([1])) }
        }

        func run(_ file: VaultFile) { file.write([claim, install, end, late]) }

        /// What was told is what is there.
        func check(_ file: VaultFile, _ context: String) throws {
            let names = ["a", "b", "c", "d"] as [AccountName]
            let stored = try names.map { try file.account(named: $0) }
            let isClaimed = stored[0].intent != nil
            #expect(isClaimed == ((try? claim.outcome?.get()) != nil), "\(context)")
            let isInstalled = stored[1].generation == 2
            #expect(isInstalled == ((try? install.outcome?.get()) != nil), "\(context)")
            let hasEnded = stored[2].health.state == .backingOff
            #expect(hasEnded == ((try? end.outcome?.get()) != nil), "\(context)")
            #expect(stored[3].intent == nil && (try? late.outcome?.get()) == nil, "\(context)")
        }
    }

    /// Runs the group on a fresh vault whose disk has these faults; whether all of them came.
    private static func isReached(_ faults: FaultyDisk.Fault...) throws -> Bool {
        try inTemporaryFolder { folder in
            let vault = TemporaryVault(folder: folder)
            try vault.create()
            let file = try vault.open()
            let group = try Group(file)
            FaultyDisk.set(faults)
            group.run(file)
            let count = FaultyDisk.failures
            FaultyDisk.heal()
            try group.check(vault.open(), "\(faults)")
            return count >= faults.count
        }
    }

    @Test("F-11, F-39: a disk that fails at any point of a shared commit: told is what is there")
    func failingDisk() async {
        await #expect(processExitsWith: .success) {
            FaultyDisk.install()
            for (call, code) in [
                (.sync, FaultyDisk.syncError), (.write, FaultyDisk.writeError),
                (.read, FaultyDisk.readError), (.write, FaultyDisk.fullDisk),
                (.sync, FaultyDisk.fullDisk),
            ] as [(FaultyDisk.Call, Int32)] {
                var skipped = 0
                while try Self.isReached(.init(call: call, skipped: skipped, code: code)) {
                    skipped += 1
                }
                #expect(skipped > 0)
            }
        }
    }
}
