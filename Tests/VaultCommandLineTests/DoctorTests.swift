import FoundationEssentials
import Platform
import Testing
import VaultAgentClient
import VaultCrypto
import VaultKit
import VaultStore

@testable import VaultCommandLine

/// What the doctor makes of what it sees.
@Suite struct DoctorTests {
    private static let now = Date(timeIntervalSince1970: 1_800_000_000)

    // MARK: - Files

    @Test func whatOthersCanReachIsAProblemWithItsCommand() {
        #expect(FileChecks.permissions([]).map(\.level) == [.ok])
        let found = FileChecks.permissions([
            PermissionProblem(path: "/v", found: .mode(0o755, wanted: 0o700)),
            PermissionProblem(path: "/v/vault.db", found: .symbolicLink),
        ])
        #expect(found.map(\.level) == [.problem, .problem])
        #expect(found[0].hint == "chmod 700 '/v'")
        #expect(found.map(\.exitCode) == [.unsafePermissions, .unsafePermissions])
    }

    @Test(
        "a full disk is a problem",
        arguments: [
            (UInt64(0), Int64?.none, [Finding.Level.problem, .warning]),
            (16 << 20 - 1, 262_144, [.problem]), (16 << 20, nil, [.ok]), (1 << 40, 1, [.ok]),
        ]
    )
    func space(free: UInt64, reserve: Int64?, levels: [Finding.Level]) {
        #expect(FileChecks.space(free: free, reserve: reserve).map(\.level) == levels)
    }

    @Test func journalAndFormatAreNoReasonForAlarm() {
        #expect(FileChecks.journal(isHot: false).level == .ok)
        #expect(FileChecks.journal(isHot: true).level == .warning)
        #expect(FileChecks.format(2, newest: 2).level == .ok)
        #expect(FileChecks.format(1, newest: 2).level == .warning)
    }

    @Test(
        "a clock behind what is written down is a problem",
        arguments: [
            (Double?.none, Double?.none, Finding.Level.ok), (-9e6, -9e6, .ok), (100, 100, .ok),
            (200, nil, .problem), (-5, 200, .problem), (nil, 9e6, .problem),
        ]
    )
    func clock(newest: Double?, modified: Double?, level: Finding.Level) {
        let finding = FileChecks.clock(
            now: Self.now,
            newest: newest.map { Self.now.addingTimeInterval($0) },
            fileModified: modified.map { Self.now.addingTimeInterval($0) }
        )
        #expect(finding.level == level)
    }

    @Test func backupsAreMissedOnceThereAreAccounts() {
        let old = Self.now.addingTimeInterval(-4 * 86_400)
        let new = Self.now.addingTimeInterval(-86_400)
        func level(_ newest: Date?, _ hasAccounts: Bool) -> Finding.Level {
            FileChecks.backups(newest: newest, now: Self.now, hasAccounts: hasAccounts).level
        }
        #expect(level(nil, false) == .ok)
        #expect(level(nil, true) == .warning)
        #expect(level(old, true) == .warning)
        #expect(level(new, true) == .ok)
    }

    // MARK: - Keys

    private func slot(
        _ number: UInt16,
        _ kind: KeySlot.Kind,
        _ state: KeyChecks.State,
        at path: String = "/k"
    ) -> KeyChecks.Slot {
        KeyChecks.Slot(number: number, kind: kind, keyFile: path, state: state)
    }

    private func keys(_ slots: KeyChecks.Slot...) -> [Finding] {
        KeyChecks.slots(slots, directory: "/v")
    }

    @Test func aVaultWithTwoWaysInIsWell() {
        let found = keys(slot(1, .keyFile, .opens), slot(2, .recoveryKey, .typed))
        #expect(found == [.ok("keys", "opens by itself, with key slot 1 of 2")])
        #expect(
            keys(slot(1, .recoveryKey, .typed)) == [
                .ok("keys", "opens with a passphrase or recovery key")
            ]
        )
    }

    @Test func oneWayInIsAWarning() {
        #expect(keys(slot(1, .keyFile, .opens)).map(\.level) == [.ok, .warning])
        #expect(keys(slot(1, .passphrase, .typed)).map(\.level) == [.ok, .warning])
    }

    @Test func keyFilesThatOpenNothingAreNamed() {
        let lost = keys(slot(3, .keyFile, .missing))
        #expect(lost.map(\.level) == [.warning, .problem])
        #expect(lost[0].text.contains("slot 3") && lost[0].text.contains("/k"))
        let wrong = keys(slot(3, .keyFile, .wrong), slot(4, .passphrase, .typed))
        #expect(wrong.map(\.level) == [.problem, .ok, .warning])
        let refused = keys(slot(3, .keyFile, .refused(line: "unsafe: /k", hint: "chmod")))
        #expect(refused[0].exitCode == .unsafePermissions)
        #expect(keys().first?.exitCode == .damaged)
    }

    @Test func aKeyFileInTheVaultsDirectoryIsAProblem() {
        let found = keys(
            slot(1, .keyFile, .opens, at: "/v/backups/k"),
            slot(2, .recoveryKey, .typed)
        )
        #expect(found.map(\.level) == [.problem, .ok])
        #expect(keys(slot(1, .keyFile, .opens, at: "/vault/k")).map(\.level) == [.ok, .warning])
    }

    @Test func rotationAndMemory() {
        #expect(KeyChecks.rotation(isUnfinished: true).hint == "vault key rotate goes on")
        #expect(KeyChecks.rotation(isUnfinished: false).level == .ok)
        #expect(KeyChecks.memory(isLocked: false).level == .warning)
        #expect(KeyChecks.memory(isLocked: true).level == .ok)
    }

    // MARK: - Accounts

    @Test(
        "each state has its remedy",
        arguments: [
            (AccountState.signInNeeded, Finding.Level.problem, "vault login work"),
            (.notSaved, .problem, "make room"), (.clientRefused, .problem, "vault client set"),
            (.verifyBeforeUse, .warning, "vault refresh work"),
            (.outcomeUnknown, .warning, "vault refresh work"),
            (.paused, .warning, "vault import"), (.backingOff, .warning, "vault status work"),
        ]
    )
    func states(state: AccountState, level: Finding.Level, hint: String) throws {
        let found = AccountChecks.accounts(
            [.init(name: "work", state: state, isRenewable: true)],
            isVerified: true
        )
        let finding = try #require(found.first)
        #expect(found.count == 1 && finding.level == level)
        #expect(finding.text.hasPrefix("account work ") && finding.hint?.contains(hint) == true)
    }

    @Test func healthyAccountsAreCounted() {
        let well = AccountChecks.Patient(name: "a", state: .active, isRenewable: true)
        let unknown = AccountChecks.Patient(name: "b", state: .active, isRenewable: nil)
        let fading = AccountChecks.Patient(name: "c", state: .active, isRenewable: false)
        let found = AccountChecks.accounts([well, unknown, fading], isVerified: true)
        #expect(found.map(\.level) == [.warning, .ok])
        #expect(found[1].text == "2 of 3 are well")
        let locked = AccountChecks.accounts([well], isVerified: false)
        #expect(locked.map(\.level) == [.ok, .warning])
        #expect(AccountChecks.accounts([], isVerified: true).map(\.level) == [.ok])
    }

    @Test func damageIsAProblemOfItsOwnCode() {
        var report = VerificationReport()
        report.records = 3
        #expect(AccountChecks.records(report).level == .ok)
        report.wasUnlocked = true
        #expect(AccountChecks.records(report) == .ok("records", "all 3 sealed records open"))
        report.findings = [.init(.account("home"), .differs("tag_hash")), .init(.tags, .orphaned)]
        let hints = AccountChecks.records(report)
        #expect(hints.level == .warning && hints.text.hasSuffix("(accounts: home)"))
        #expect(hints.hint?.contains("vault key rekey") == true)
        report.findings += [
            .init(.account("work"), .sealed("tokens_box")), .init(.keyring, .malformed),
        ]
        let found = AccountChecks.records(report)
        #expect(found.exitCode == .damaged && found.text.contains("accounts: home, work"))
    }

    // MARK: - Agent and programs

    private func agent(
        _ agent: AgentDocument?,
        isLockHeld: Bool = false,
        isMaintained: Bool = false,
        hasWork: Bool = false
    ) -> [Finding] {
        AgentChecks.agent(
            AgentChecks.Facts(
                agent: agent,
                isLockHeld: isLockHeld,
                isMaintained: isMaintained,
                hasWork: hasWork
            )
        )
    }

    @Test func anAgentThatIsMissedOrMuteIsNamed() {
        let mine = AgentDocument(running: true, pid: 1, version: VaultVersion.current)
        let old = AgentDocument(running: true, pid: 1, version: "0.0.0", locked: true)
        #expect(agent(mine, isLockHeld: true).map(\.level) == [.ok])
        #expect(agent(old, isLockHeld: true).map(\.level) == [.warning, .warning])
        #expect(agent(nil).map(\.level) == [.ok])
        #expect(agent(nil, hasWork: true).map(\.hint) == ["vault agent start"])
        #expect(agent(nil, isLockHeld: true).map(\.level) == [.problem])
        #expect(agent(mine, isMaintained: true).map(\.level) == [.warning])
    }

    @Test func programsAreLookedForBesideAndInPath() {
        func levels(_ first: String?, _ hasAgentBeside: Bool = true) -> [Finding.Level] {
            AgentChecks.programs(own: "/a/vault", hasAgentBeside: hasAgentBeside, first: first)
                .map(\.level)
        }
        #expect(levels("/a/vault") == [.ok])
        #expect(levels("/b/vault") == [.warning])
        #expect(levels(nil) == [.warning])
        #expect(levels("/a/vault", false) == [.problem])
        let programs: Set = ["/b/vault", "/c/vault", "relative/vault", "/vault"]
        func first(_ path: String) -> String? {
            AgentChecks.firstInPath(path, isProgram: programs.contains)
        }
        #expect(first("/a:/b:/c") == "/b/vault")
        #expect(first("relative:/c") == "/c/vault")
        #expect(first("") == nil && first(":") == nil)
    }

    // MARK: - The end

    @Test(
        "the worst problem decides on the exit code",
        arguments: [
            ([ExitCode.failure], ExitCode.failure), ([.failure, .damaged], .damaged),
            ([.damaged, .unsafePermissions], .unsafePermissions),
        ]
    )
    func exitCode(problems: [ExitCode], exitCode: ExitCode) throws {
        let findings = problems.map { Finding.problem("x", "text", $0) }
        let found = try #require(DoctorFindings(findings + [.warning("y", "text")]))
        #expect(found.exitCode == exitCode)
        let report = ErrorReport(found)
        #expect(report.exitCode == exitCode)
        #expect(report.line == (problems.count == 1 ? "1 problem found" : "2 problems found"))
    }

    @Test func withoutAProblemNothingIsThrown() {
        #expect(DoctorFindings([.ok("x", "text"), .warning("y", "text")]) == nil)
    }

    /// F-41.
    @Test func nothingOfAFindingMovesTheTerminal() throws {
        let finding = Finding.warning("keys", "a\u{1b}[2Jb\nc", hint: "\u{202e}x")
        #expect(
            DoctorCommand.lines(finding)
                == "warning  keys: a\\u{1b}[2Jb\\u{a}c\n         hint: \\u{202e}x\n"
        )
        #expect(DoctorCommand.lines(.ok("a", "b")) == "ok       a: b\n")
        #expect(DoctorCommand.lines(.problem("a", "b")) == "problem  a: b\n")
        let json = try WireJSON.encode(DoctorDocument([finding, .ok("a", "b")]))
        let text = String(decoding: json, as: UTF8.self)
        #expect(
            text.hasSuffix(
                #"{"check":"a","hint":null,"level":"ok","text":"b"}],"schemaVersion":1}"#
            )
        )
        #expect(!text.contains("\u{1b}"))
    }

    @Test func anErrorThatIsNoDamageIsAFailure() {
        #expect(Finding.problem("x", VaultError(.busy)).exitCode == .failure)
        #expect(Finding.problem("x", VaultError(.tampered)).exitCode == .damaged)
        #expect(
            Finding.problem("x", VaultError(.unsafePermissions)).exitCode == .unsafePermissions
        )
        #expect(Finding.problem("x", VaultError(.noVault)).exitCode == .failure)
    }
}
