import FoundationEssentials
import Testing
import VaultCrypto

@testable import VaultStore

@Suite struct PassphraseTests {
    @Test(
        arguments: [
            (Secret(""), .empty), (Secret("a"), nil), (Secret("\n"), nil), (Secret(" "), nil),
            (Secret(String(repeating: "a", count: 1024)), nil),
            (Secret(String(repeating: "a", count: 1025)), .tooLong),
            (Secret(String(repeating: "a", count: 1 << 20)), .tooLong),
            (Secret("a\0b"), .hasNUL), (Secret("\0"), .hasNUL),
            (Secret(bytes: [0xff, 0xfe]), nil),
        ] as [(Secret, Passphrase.Problem?)]
    )
    func theRule(_ passphrase: Secret, problem: Passphrase.Problem?) async throws {
        #expect(Passphrase.problem(with: passphrase) == problem)
        guard let problem else { return }
        try await withTemporaryVault { vault in
            let file = try vault.open()
            #expect(throws: StoreError.passphraseUnfit(problem)) {
                try file.addKeySlot(
                    .passphrase(passphrase, .cheap),
                    authorizedBy: .keyFile,
                    now: Fixture.now
                )
            }
            #expect(try file.keySlots().count == 1)
        }
        try await withTemporaryFolder { folder in
            let vault = TemporaryVault(folder: folder)
            #expect(throws: StoreError.passphraseUnfit(problem)) {
                try VaultFile.create(
                    vault.location,
                    slots: [.passphrase(passphrase)],
                    now: Fixture.now
                )
            }
            let files = try vault.files()
            #expect(files.isEmpty)
        }
    }

    /// Bytes are bytes: nothing is trimmed, folded or normalised.
    @Test func onlyTheSameBytesOpen() async throws {
        try await withTemporaryFolder { folder in
            let vault = TemporaryVault(folder: folder)
            let passphrase = "caf\u{e9} au lait"
            let added = try VaultFile.create(
                vault.location,
                slots: [.passphrase(Secret(passphrase), .cheap)],
                now: Fixture.now
            )
            #expect(added.map(\.number) == [1] && added[0].keyFile == nil)
            #expect(added[0].recoveryKey == nil)
            let file = try VaultFile(vault.location)
            let wrong = [
                "", "caf\u{e9} au lai", "cafe\u{301} au lait", "Caf\u{e9} au lait",
                passphrase + "\n", passphrase + "\r\n", passphrase + " ", passphrase + "\0",
                "\u{feff}" + passphrase, String(repeating: "a", count: 1 << 20),
            ]
            for other in wrong {
                #expect(throws: StoreError.locked(.passphraseWrong)) {
                    try file.unlock(with: .passphrase(Secret(other)))
                }
                #expect(!file.isUnlocked)
            }
            try file.unlock(with: .passphrase(Secret(passphrase)))
            #expect(throws: StoreError.locked(.noKeyFileSlot)) { try file.unlock(with: .keyFile) }
            #expect(throws: StoreError.locked(.noRecoverySlot)) {
                try file.unlock(with: .recoveryKey(Secret("x")))
            }
        }
    }

    @Test(arguments: [
        "passes = 4294967295", "memory = 4398046511104", "passes = 0", "memory = 1",
        "passes = 4294967295, memory = 4398046511104", "kind = 99", "salt = zeroblob(1000000)",
        "passes = 17",
    ])
    func anEditedCostIsRefusedBeforeTheWork(_ assignment: String) async throws {
        try await withTemporaryVault { vault in
            _ = try vault.addOneOfEachKind()
            try Editor(vault).run("UPDATE key_slot SET \(assignment) WHERE number = 2")
            let file = try VaultFile(vault.location)
            let elapsed = ContinuousClock().measure {
                #expect(throws: StoreError.tampered(.slot(number: 2))) {
                    try file.unlock(with: .passphrase(vault.passphrase))
                }
            }
            #expect(elapsed < .milliseconds(50))
        }
    }
}
