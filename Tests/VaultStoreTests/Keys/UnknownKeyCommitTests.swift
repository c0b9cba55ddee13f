import FoundationEssentials
import Testing
import VaultCrypto

@testable import VaultStore

/// What a key verb says is what the file says, at every call of a disk that fails once.
@Suite struct UnknownKeyCommitTests {
    /// A verb, by name so that another process can look it up.
    enum Verb: String, CaseIterable, Codable, Sendable {
        case add, remove, change, rotate, rekey

        /// A vault of a key file and of the passphrase that authorizes what is done.
        func prepare(_ vault: TemporaryVault) throws {
            try vault.create()
            let file = try vault.open()
            _ = try file.insert(Fixture.account("work"))
            _ = try file.addKeySlot(
                .passphrase(vault.passphrase, .cheap),
                authorizedBy: .keyFileAt(path: vault.keyFile),
                now: Fixture.now
            )
        }

        func run(_ vault: TemporaryVault, _ file: VaultFile) throws {
            let unlock = Unlock.passphrase(vault.passphrase)
            let now = Fixture.now
            switch self {
            case .add: _ = try file.addKeySlot(.recoveryKey, authorizedBy: unlock, now: now)
            case .remove: try file.removeKeySlot(1, authorizedBy: unlock)
            case .change:
                let new = NewKeySlot.keyFile(path: vault.secondKeyFile)
                _ = try file.changeKeySlot(1, to: new, authorizedBy: unlock, now: now)
            case .rotate: _ = try file.rotateKeys(authorizedBy: unlock, now: now)
            case .rekey:
                _ = try file.rekey(authorizedBy: unlock, slots: [:], dropping: [], now: now)
            }
        }

        /// Whether the vault is as after the verb, done once; nil when it is as nothing leaves it.
        func isDone(_ vault: TemporaryVault, version: UInt64) throws -> Bool? {
            let file = try VaultFile(vault.location)
            try file.unlock(with: .passphrase(vault.passphrase))
            #expect(try file.account(named: "work").tokens == Fixture.tokens("work"))
            let slots = try file.keySlots()
            return switch self {
            case .add: [2: false, 3: true][slots.count]
            case .remove: [2: false, 1: true][slots.count]
            case .change:
                slots.count == 2 ? slots[0].keyFile == vault.secondKeyFile : nil
            case .rotate: file.header.keyringVersion == version + 2
            case .rekey: file.header.keyringVersion > version
            }
        }
    }

    /// Runs a verb on a fresh vault, with the n-th call failing for every n there is; how many of
    /// the failures were survived.
    private static func failEach(_ verb: Verb, _ fault: FaultyDisk.Fault) throws -> Int {
        var survived = 0
        for skipped in 0..<60 {
            var fault = fault
            fault.skipped = skipped
            let failed = try inTemporaryFolder { folder in
                let vault = TemporaryVault(folder: folder)
                try verb.prepare(vault)
                let file = try vault.open()
                let version = file.header.keyringVersion
                FaultyDisk.set(fault)
                var isSaidToBeDone = true
                do { try verb.run(vault, file) } catch { isSaidToBeDone = false }
                let failures = FaultyDisk.failures
                FaultyDisk.heal()
                let isDone = try verb.isDone(vault, version: version)
                #expect(isDone == isSaidToBeDone, "\(verb), \(fault.call) \(skipped)")
                if failures > 0, isSaidToBeDone { survived += 1 }
                return failures > 0
            }
            if !failed { return survived }
        }
        Issue.record("\(verb) never came to its end")
        return survived
    }

    @Test("a sync that fails, at every point of every verb", arguments: Verb.allCases)
    func aFailedSync(_ verb: Verb) async {
        await #expect(processExitsWith: .success) { [verb = verb as Verb] in
            FaultyDisk.install()
            let fault = FaultyDisk.Fault(call: .sync, code: FaultyDisk.syncError)
            let survived = try Self.failEach(verb, fault)
            #expect(survived >= 1)
        }
    }

    @Test("a sync that finds the disk full, at every point", arguments: Verb.allCases)
    func aFullDisk(_ verb: Verb) async {
        await #expect(processExitsWith: .success) { [verb = verb as Verb] in
            FaultyDisk.install()
            let fault = FaultyDisk.Fault(call: .sync, code: FaultyDisk.fullDisk)
            let survived = try Self.failEach(verb, fault)
            #expect(survived >= 1)
        }
    }

    /// The confirmation cannot be read either, and what was done is found by the second attempt.
    @Test("what was done is not done twice", arguments: Verb.allCases)
    func aCommitThatCannotBeConfirmed(_ verb: Verb) async {
        await #expect(processExitsWith: .success) { [verb = verb as Verb] in
            FaultyDisk.install()
            for (first, second) in (0..<12).flatMap({ first in (0..<4).map { (first, $0) } }) {
                try inTemporaryFolder { folder in
                    let vault = TemporaryVault(folder: folder)
                    try verb.prepare(vault)
                    let file = try vault.open()
                    let version = file.header.keyringVersion
                    FaultyDisk.set(
                        FaultyDisk.Fault(call: .sync, skipped: first, code: FaultyDisk.fullDisk),
                        FaultyDisk.Fault(call: .sync, skipped: second, code: FaultyDisk.fullDisk)
                    )
                    var isSaidToBeDone = true
                    do { try verb.run(vault, file) } catch { isSaidToBeDone = false }
                    FaultyDisk.heal()
                    // What fails twice may be done or not, but never by half or twice.
                    let isDone = try verb.isDone(vault, version: version)
                    #expect(isDone != nil, "\(verb), \(first), \(second)")
                    if isSaidToBeDone { #expect(isDone == true, "\(verb), \(first), \(second)") }
                }
            }
        }
    }
}
