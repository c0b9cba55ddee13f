import FoundationEssentials
internal import Glibc
import OAuth
import Platform
import Testing
import VaultCrypto

@testable import VaultStore

/// Each row in a process of its own, on a disk that fails at one call after another.
///
/// A write that says it succeeded is there for whoever opens the file next, and one that says it
/// failed is not.
@Suite struct UnknownCommitTests {
    /// A write, by name so that another process can look it up.
    enum Write: String, CaseIterable, Codable, Sendable {
        case insert, replace, remove, select, claim, install, abandon, proveWritable, setSecret

        /// What the write starts from, on a good disk.
        func prepare(_ file: VaultFile) throws -> Claim {
            let home = try file.insert(Fixture.account("home"))
            _ = try file.insert(Fixture.account("work"))
            if self == .setSecret {
                for name in ["one", "two"] as [AccountName] {
                    _ = try file.insert(Fixture.account(name, of: Fixture.client))
                }
            }
            if self == .claim || self == .abandon || self == .install {
                return try file.claim(file.account(named: "work"), intent: Fixture.intent([1]))
            }
            return Claim(
                account: home.id,
                number: home.number,
                generation: 1,
                incarnation: file.incarnation
            )
        }

        func run(_ file: VaultFile, _ claim: Claim) throws {
            switch self {
            case .insert: _ = try file.insert(Fixture.fullAccount("third"))
            case .replace:
                let new = Fixture.fullAccount("work", grant: "new")
                _ = try file.replace(file.account(named: "work"), with: new)
            case .remove: try file.remove("work")
            case .select: try file.select("work")
            case .claim:
                let account = try file.account(named: "work")
                _ = try file.claim(account, intent: Fixture.intent([2], attempt: 2))
            case .install:
                let hash = try file.spentTokenHash(of: Secret("refresh-work"))
                let outcome = try file.install(Fixture.pair("next", spent: hash), for: claim)
                #expect(outcome == .installed(generation: 2))
            case .abandon:
                try file.abandon(
                    claim,
                    as: Abandonment(
                        health: StoredAccount.Health(state: .backingOff, due: Fixture.now),
                        outcomeIsUnknown: false
                    )
                )
            case .proveWritable: try file.proveWritable()
            case .setSecret:
                let new = NewClientSecret(client: Fixture.client.id, secret: Secret("mended"))
                #expect(try file.setSecret(new, at: Fixture.now) == ["one", "two"])
            }
        }

        /// The secrets of the two accounts that have one client, which are the same at all times.
        private func secrets(_ file: VaultFile) throws -> [Secret?] {
            let names: [AccountName] = ["one", "two"]
            let secrets = try names.map { try file.account(named: $0).settings.client.secret }
            #expect(secrets[0] == secrets[1])
            return secrets
        }

        /// Whether its change is in the file.
        func isThere(_ file: VaultFile) throws -> Bool {
            let work = try? file.account(named: "work")
            return switch self {
            case .insert: (try? file.account(named: "third")) != nil
            case .replace: work?.generation == 2
            case .remove: work == nil
            case .select: try file.selectedAccount() == work?.id
            case .claim: work?.intent?.attempt == 2
            case .install: work?.generation == 2 && work?.intent == nil
            case .abandon: work?.health.state == .backingOff && work?.intent == nil
            case .proveWritable: true
            case .setSecret: try secrets(file) == [Secret("mended"), Secret("mended")]
            }
        }
    }

    /// Runs a write on a fresh vault, with the n-th call failing for every n there is; how many of
    /// the failures were survived.
    private static func failEach(
        _ write: Write,
        _ fault: FaultyDisk.Fault,
        retriedAfterwards: Bool = true
    ) throws -> Int {
        var survived = 0
        for skipped in 0..<60 {
            var fault = fault
            fault.skipped = skipped
            let failed = try inTemporaryFolder { folder in
                let vault = TemporaryVault(folder: folder)
                try vault.create()
                let file = try vault.open()
                let claim = try write.prepare(file)
                FaultyDisk.set(fault)
                let error = Self.error { try write.run(file, claim) }
                let failures = FaultyDisk.failures
                FaultyDisk.heal()
                let where_ = "\(write), \(fault.call) \(skipped), \(String(describing: error))"
                let isThere = try write.isThere(vault.open())
                if write != .proveWritable { #expect(isThere == (error == nil), "\(where_)") }
                if failures > 0, error == nil { survived += 1 }
                // The same connection goes on, and what failed can be done again.
                if error != nil, retriedAfterwards { try write.run(file, claim) }
                #expect(try write.isThere(file), "\(where_)")
                return failures > 0
            }
            if !failed { return survived }
        }
        Issue.record("\(write) never came to its end")
        return survived
    }

    private static func error(_ body: () throws -> Void) -> (any Error)? {
        do {
            try body()
            return nil
        } catch {
            return error
        }
    }

    @Test("F-11: a sync that fails, at every point of every write", arguments: Write.allCases)
    func aFailedSync(_ write: Write) async {
        await #expect(processExitsWith: .success) { [write = write as Write] in
            FaultyDisk.install()
            let fault = FaultyDisk.Fault(call: .sync, code: FaultyDisk.syncError)
            let survived = try Self.failEach(write, fault)
            // The last sync comes after the point of no return.
            #expect(survived >= (write == .proveWritable ? 0 : 1))
        }
    }

    @Test("a write that fails, at every point of every write", arguments: Write.allCases)
    func aFailedWrite(_ write: Write) async {
        await #expect(processExitsWith: .success) { [write = write as Write] in
            FaultyDisk.install()
            let fault = FaultyDisk.Fault(call: .write, code: FaultyDisk.writeError)
            _ = try Self.failEach(write, fault)
        }
    }

    @Test("F-32: a read that fails once, at every point of every write", arguments: Write.allCases)
    func aFailedRead(_ write: Write) async {
        await #expect(processExitsWith: .success) { [write = write as Write] in
            FaultyDisk.install()
            let fault = FaultyDisk.Fault(call: .read, code: FaultyDisk.readError)
            let survived = try Self.failEach(write, fault)
            #expect(survived > 0)
        }
    }

    @Test("a disk that stays broken is an error, and none once it works again")
    func aDiskThatStaysBroken() async {
        await #expect(processExitsWith: .success) {
            FaultyDisk.install()
            for call in [FaultyDisk.Call.write, .sync, .read] {
                try inTemporaryFolder { folder in
                    let vault = TemporaryVault(folder: folder)
                    try vault.create()
                    let file = try vault.open()
                    _ = try file.insert(Fixture.account("home"))
                    let code = FaultyDisk.syncError
                    FaultyDisk.set(FaultyDisk.Fault(call: call, times: 1000, code: code))
                    for _ in 1...3 {
                        #expect(throws: (any Error).self) {
                            try file.insert(Fixture.account("work"))
                        }
                    }
                    FaultyDisk.heal()
                    _ = try file.insert(Fixture.account("work"))
                    #expect(try vault.open().accountCount() == 2)
                }
            }
        }
    }
}

extension FaultyDisk {
    // sqlite.org/rescode.html
    static let readError: Int32 = 266
    static let writeError: Int32 = 778
    static let syncError: Int32 = 1034
    static let corruptFileSystem: Int32 = 8458
    static let fullDisk: Int32 = 13
}
