import FoundationEssentials
import OAuth
import Platform
import Testing
import VaultCrypto
import VaultSQLite

@testable import VaultStore

/// What a vault takes in from another.
@Suite struct ImportTests {
    private static let due = Fixture.now.addingTimeInterval(777)

    @Test func anAccountIsTheSameElsewhere() async throws {
        try await withTwoVaults { here, there in
            _ = try there.insert(Fixture.fullAccount("work"))
            _ = try there.insert(Fixture.account("home"))
            let export = try there.export(at: Fixture.moment)
            #expect(try outcomes(of: export, into: here) == ["home": .added, "work": .added])
            for exported in export.accounts {
                let account = try here.account(named: exported.name)
                #expect(account.id == exported.id)
                #expect(account.generation == exported.generation)
                #expect(account.settings == exported.settings)
                #expect(account.tokens == exported.tokens)
                #expect(account.health.failures == nil)
            }
            let (home, work) = (AccountState.active, AccountState.signInNeeded)
            #expect(try here.account(named: "home").health == health(home, due: Self.due))
            #expect(try here.account(named: "work").health == health(work, due: nil))
            // The vault's first account becomes the current one.
            #expect(try here.selectedAccount() == export.accounts.first?.id)
        }
    }

    /// How an account does that was taken in just now.
    private func health(_ state: AccountState, due: Date?) -> StoredAccount.Health {
        StoredAccount.Health(state: state, due: due, since: Fixture.moment.wall)
    }

    /// Who listens for changes is told of it, like of any other account that is not well.
    @Test func anAccountThatIsNotWellIsAChangeOfState() async throws {
        try await withTwoVaults { here, there in
            _ = try there.insert(Fixture.fullAccount("work"))
            _ = try there.insert(Fixture.account("home"))
            _ = try outcomes(of: there.export(at: Fixture.moment), into: here)
            let changes = try here.stateChanges(
                after: .after(0),
                upTo: .max,
                withActive: true,
                limit: 10
            )
            #expect(changes.total == 1 && changes.rest == nil)
            #expect(changes.changes.map(\.name) == ["work"])
            #expect(changes.changes.map(\.state) == [.signInNeeded])
        }
    }

    @Test func theCurrentAccountStays() async throws {
        try await withTwoVaults { here, there in
            let mine = try here.insert(Fixture.account("mine"))
            _ = try there.insert(Fixture.account("a"))
            _ = try outcomes(of: there.export(at: Fixture.moment), into: here)
            #expect(try here.selectedAccount() == mine.id)
        }
    }

    @Test func ofAnAccountThatCannotBeRenewedTheEndIsDue() async throws {
        try await withTwoVaults { here, there in
            var account = Fixture.account("work")
            account.tokens.refreshToken = nil
            _ = try there.insert(account)
            _ = try outcomes(of: there.export(at: Fixture.moment), into: here)
            #expect(try here.account(named: "work").health == health(.active, due: Self.due))
            // Nothing is sent for it.
            #expect(try here.nextDue() == nil)
            #expect(try here.hints(after: nil, limit: 9).map(\.due) == [nil])
        }
    }

    // MARK: - The same account

    /// K03: an old copy never takes the place of a newer pair.
    @Test func anOldExportIsSkipped() async throws {
        try await withTwoVaults { here, _ in
            let file = here
            _ = try file.insert(Fixture.account("work"))
            let old = try file.export(at: Fixture.moment)
            #expect(try outcomes(of: old, into: file) == ["work": .skipped(.same)])
            try refresh(file, "work", to: "second")
            try refresh(file, "work", to: "third")
            let before = try file.account(named: "work")
            for isReplacing in [false, true] {
                let report = try outcomes(of: old, into: file, replacing: isReplacing)
                #expect(report == ["work": .skipped(.spent)])
            }
            #expect(try file.account(named: "work") == before)
        }
    }

    @Test func aCountThatLiesDoesNotBringASpentTokenBack() async throws {
        try await withTwoVaults { here, _ in
            _ = try here.insert(Fixture.account("work"))
            var old = try here.export(at: Fixture.moment)
            try refresh(here, "work", to: "second")
            old.accounts[0].generation = 1000
            for isReplacing in [false, true] {
                let report = try outcomes(of: old, into: here, replacing: isReplacing)
                #expect(report == ["work": .skipped(.spent)])
            }
        }
    }

    @Test func whatWasMovedAwayComesBack() async throws {
        try await withTwoVaults { here, there in
            _ = try here.insert(Fixture.account("work"))
            let away = try move(here)
            #expect(try outcomes(of: away, into: there) == ["work": .added])
            #expect(try there.account(named: "work").health.state == .active)
            try refresh(there, "work", to: "second")
            let back = try move(there)
            #expect(try outcomes(of: back, into: here) == ["work": .movedBack])
            let work = try here.account(named: "work")
            #expect(work.tokens.refreshToken == Secret("refresh-second"))
            #expect(work.tokens.hold == nil)
            #expect(work.health == health(.active, due: Self.due))
            #expect(work.generation == 2)
            #expect(try there.account(named: "work").health.state == .paused)
            // And once more, with the first file: too old by now.
            #expect(try outcomes(of: away, into: here) == ["work": .skipped(.newer)])
        }
    }

    /// The file of a move takes the move back; what began before does not end in it.
    @Test func aMoveIsTakenBack() async throws {
        try await withTwoVaults { here, _ in
            let account = try here.insert(Fixture.account("work"))
            let away = try move(here)
            #expect(try outcomes(of: away, into: here) == ["work": .movedBack])
            let work = try here.account(named: "work")
            #expect(work.health.state == .active)
            #expect(work.generation == account.generation + 1)
            #expect(work.revision == account.revision + 1)
        }
    }

    /// A copy from before the move says nothing of who has the account now.
    @Test func anOlderCopyDoesNotTakeAMoveBack() async throws {
        try await withTwoVaults { here, there in
            _ = try here.insert(Fixture.account("work"))
            let copy = try here.export(at: Fixture.moment)
            _ = try outcomes(of: move(here), into: there)
            #expect(try outcomes(of: copy, into: here) == ["work": .skipped(.movedAway)])
            #expect(try here.account(named: "work").health.state == .paused)
            #expect(try outcomes(of: copy, into: here, replacing: true) == ["work": .movedBack])
            #expect(try here.account(named: "work").health.state == .active)
        }
    }

    /// A later pair was made by whoever has the account now.
    @Test func aLaterCopyBringsAMovedAccountBack() async throws {
        try await withTwoVaults { here, there in
            _ = try here.insert(Fixture.account("work"))
            _ = try outcomes(of: move(here), into: there)
            try refresh(there, "work", to: "second")
            let later = try there.export(at: Fixture.moment)
            #expect(try outcomes(of: later, into: here) == ["work": .movedBack])
            let work = try here.account(named: "work")
            #expect(work.tokens.refreshToken == Secret("refresh-second"))
        }
    }

    /// What stays as it was, with other access tokens than the file's, does not make the import of
    /// the others look as if it had not happened.
    @Test func anImportThatSkipsSaysWhatItDid() async {
        await #expect(processExitsWith: .success) {
            FaultyDisk.install()
            for skipped in 0..<12 {
                for code in [FaultyDisk.syncError, FaultyDisk.fullDisk] {
                    try inTemporaryFolder { folder in
                        let vault = TemporaryVault(folder: folder)
                        try vault.create()
                        let file = try vault.open()
                        _ = try file.insert(Fixture.account("work"))
                        _ = try file.insert(Fixture.account("home"))
                        var export = try file.export(at: Fixture.moment)
                        try file.remove("home")
                        for index in export.accounts.indices {
                            export.accounts[index].tokens.accessTokens = []
                        }
                        FaultyDisk.set(
                            FaultyDisk.Fault(call: .sync, skipped: skipped, code: code)
                        )
                        let report = try? file.importAccounts(of: export, at: Fixture.moment) {
                            _,
                            _ in nil
                        }
                        FaultyDisk.heal()
                        let count = try vault.open().accountCount()
                        #expect(count == (report == nil ? 1 : 2), "sync \(skipped)")
                        if let report {
                            #expect(report.entries.map(\.outcome) == [.added, .skipped(.same)])
                        }
                    }
                }
            }
        }
    }

    @Test func aCopyOfAPausedAccountIsPaused() async throws {
        try await withTwoVaults { here, there in
            _ = try here.insert(Fixture.account("work"))
            _ = try move(here)
            let copy = try here.export(at: Fixture.moment)
            #expect(try outcomes(of: copy, into: here) == ["work": .skipped(.same)])
            #expect(try outcomes(of: copy, into: there) == ["work": .added])
            #expect(try there.account(named: "work").health == health(.paused, due: nil))
        }
    }

    /// K06: one grant, used on two machines.
    @Test func twoOwnersAreToldApartFromAMove() async throws {
        try await withTwoVaults { here, there in
            _ = try here.insert(Fixture.account("work"))
            _ = try outcomes(of: here.export(at: Fixture.moment), into: there)
            try refresh(there, "work", to: "second")
            let later = try there.export(at: Fixture.moment)
            #expect(try outcomes(of: later, into: here) == ["work": .refused(.twoOwners)])
            #expect(try here.account(named: "work").generation == 1)
            let replaced = try outcomes(of: later, into: here, replacing: true)
            #expect(replaced == ["work": .replaced])
            let work = try here.account(named: "work")
            #expect(work.tokens.refreshToken == Secret("refresh-second"))
        }
    }

    /// It spends nothing here, so nothing is taken from anybody.
    @Test func aLaterPairMendsAnAccountThatWaitsForAPerson() async throws {
        try await withTwoVaults { here, there in
            _ = try here.insert(Fixture.fullAccount("work"))
            var export = try here.export(at: Fixture.moment)
            export.accounts[0].generation = 7
            export.accounts[0].tokens = Fixture.tokens("later")
            #expect(try outcomes(of: export, into: here) == ["work": .replaced])
            #expect(try here.account(named: "work").health.state == .active)
            _ = there
        }
    }

    @Test func anAccountKeepsTheNameItHasHere() async throws {
        try await withTwoVaults { here, _ in
            _ = try here.insert(Fixture.account("work"))
            _ = try here.insert(Fixture.account("taken"))
            var away = try move(here)
            away.accounts.removeAll { $0.name == "taken" }
            away.accounts[0].settings.name = "elsewhere"
            #expect(try outcomes(of: away, into: here) == ["elsewhere": .movedBack])
            #expect(try here.account(named: "work").health.state == .active)
        }
    }

    /// A new root key has other hashes; what was spent under the old one is still known.
    @Test func whatWasSpentBeforeNewKeysIsKnownAfterThem() async throws {
        try await withTemporaryVault { vault in
            let here = try vault.open()
            _ = try here.insert(Fixture.account("work"))
            let old = try here.export(at: Fixture.moment)
            try refresh(here, "work", to: "second")
            _ = try here.rekey(
                authorizedBy: .keyFileAt(path: vault.keyFile),
                slots: [:],
                dropping: [],
                now: Fixture.now
            )
            #expect(try outcomes(of: old, into: here) == ["work": .skipped(.spent)])
            try here.remove("work")
            #expect(try outcomes(of: old, into: here) == ["work": .refused(.spent)])
        }
    }

    // MARK: - All or nothing

    /// K09.
    @Test func aGrantThatIsHereIsRefused() async throws {
        try await withTwoVaults { here, there in
            _ = try here.insert(Fixture.account("mine", grant: "shared"))
            _ = try there.insert(Fixture.account("a"))
            _ = try there.insert(Fixture.account("work", grant: "shared"))
            let report = try outcomes(of: there.export(at: Fixture.moment), into: here)
            #expect(report == ["a": .added, "work": .refused(.grantStored(in: "mine"))])
            #expect(try names(here) == ["mine"])
        }
    }

    @Test func aNameOfAnotherGrantIsRefused() async throws {
        try await withTwoVaults { here, there in
            _ = try here.insert(Fixture.account("work", grant: "mine"))
            _ = try there.insert(Fixture.account("a"))
            _ = try there.insert(Fixture.account("work", grant: "theirs"))
            let report = try outcomes(of: there.export(at: Fixture.moment), into: here)
            #expect(report == ["a": .added, "work": .refused(.nameTaken)])
            #expect(try names(here) == ["work"])
        }
    }

    /// A24: the account is gone, and what it spent is remembered.
    @Test func aTokenThatWasSpentHereIsRefused() async throws {
        try await withTwoVaults { here, there in
            _ = try here.insert(Fixture.account("work"))
            let old = try here.export(at: Fixture.moment)
            try refresh(here, "work", to: "second")
            try here.remove("work")
            #expect(try outcomes(of: old, into: here) == ["work": .refused(.spent)])
            #expect(try names(here) == [])
            _ = there
        }
    }

    /// K09.
    @Test func aFileMayNameNothingTwice() async throws {
        try await withTwoVaults { here, there in
            _ = try there.insert(Fixture.account("a"))
            _ = try there.insert(Fixture.account("b"))
            let export = try there.export(at: Fixture.moment)
            var sameGrant = export
            sameGrant.accounts[1].tokens = export.accounts[0].tokens
            var sameName = export
            sameName.accounts[1].settings.name = "a"
            var sameAccount = export
            sameAccount.accounts[1].id = export.accounts[0].id
            for file in [sameGrant, sameName, sameAccount] {
                let report = try importing(file, into: here)
                #expect(report.entries.map(\.outcome) == [.added, .refused(.repeated)])
                #expect(report.isRefused)
            }
            #expect(try names(here) == [])
        }
    }

    /// K05.
    @Test func aReportAloneWritesNothing() async throws {
        try await withTwoVaults { here, there in
            _ = try here.insert(Fixture.account("mine", grant: "shared"))
            _ = try there.insert(Fixture.account("a"))
            let good = try there.export(at: Fixture.moment)
            _ = try there.insert(Fixture.account("b", grant: "shared"))
            let bad = try there.export(at: Fixture.moment)
            let files = [here.location.database, here.location.journal]
            let before = files.map { bytes(of: $0) }
            let dry = try (here.importReport(of: good), here.importReport(of: bad))
            #expect(files.map { bytes(of: $0) } == before)
            #expect(try importing(bad, into: here) == dry.1)
            #expect(try names(here) == ["mine"])
            #expect(try importing(good, into: here) == dry.0)
        }
    }

    /// A generation that the schema refuses stands for a disk that fills up half-way.
    @Test func whatFailsHalfWayChangesNothing() async throws {
        try await withTwoVaults { here, there in
            for name in ["a", "b", "c"] as [AccountName] {
                _ = try there.insert(Fixture.account(name))
            }
            var export = try there.export(at: Fixture.moment)
            export.accounts[2].generation = 0
            #expect(throws: SQLiteError.self) { try importing(export, into: here) }
            #expect(try names(here) == [])
            #expect(try here.selectedAccount() == nil)
        }
    }

    // MARK: - Help

    private func withTwoVaults(_ body: (VaultFile, VaultFile) throws -> Void) async throws {
        try await withTemporaryVault { here in
            try await withTemporaryVault { there in
                try body(here.open(), there.open())
            }
        }
    }

    private func move(_ file: VaultFile) throws -> AccountExport {
        let path = file.location.directory + "/../\(UUID().uuidString)"
        try file.export(
            moving: true,
            to: path,
            passphrase: ExportTests.passphrase,
            cost: ExportTests.cost,
            at: Fixture.moment
        )
        return try ExportFile.accounts(in: ExportFile.read(path)) { ExportTests.passphrase }
    }

    private func importing(
        _ export: AccountExport,
        into file: VaultFile,
        replacing isReplacing: Bool = false
    ) throws -> ImportReport {
        try file.importAccounts(of: export, replacing: isReplacing, at: Fixture.moment) { _, _ in
            Self.due
        }
    }

    private func outcomes(
        of export: AccountExport,
        into file: VaultFile,
        replacing isReplacing: Bool = false
    ) throws -> [AccountName: ImportReport.Outcome] {
        let report = try importing(export, into: file, replacing: isReplacing)
        return Dictionary(
            report.entries.map { ($0.name, $0.outcome) },
            uniquingKeysWith: { first, _ in first }
        )
    }

    private func refresh(_ file: VaultFile, _ name: AccountName, to pair: String) throws {
        let account = try file.account(named: name)
        let spent = try file.spentTokenHash(of: account.tokens.refreshToken ?? Secret(""))
        let claim = try file.claim(account, intent: Fixture.intent(spent))
        let outcome = try file.install(Fixture.pair(pair, spent: spent), for: claim)
        #expect(outcome == .installed(generation: account.generation + 1))
    }

    private func names(_ file: VaultFile) throws -> [AccountName] {
        try file.accounts(after: nil, limit: 100).map(\.name)
    }
}

/// What may stand in a file that anybody may have written.
@Suite struct AccountExportTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let old: String
        let new: String
        let error: StoreError

        init(_ old: String, _ new: String, _ member: String) {
            self.old = old
            self.new = new
            error = .exportMalformed(member: member)
        }

        init(_ old: String, _ new: String, _ error: ExportError) {
            self.old = old
            self.new = new
            self.error = .export(error)
        }

        var testDescription: String { "\(old) as \(new)" }
    }

    static let text = """
        {"format":"vault-export","version":1,"exported_at":1800000000,\
        "vault_id":"000102030405060708090a0b0c0d0e0f","moved":false,"accounts":[\
        {"account_id":"202122232425262728292a2b2c2d2e2f","generation":3,"settings":\
        {"name":"work","client_id":"client","client_authentication":"none",\
        "token_endpoint":"https://issuer.example/token","issuer":"https://issuer.example",\
        "authorization_endpoint":"https://issuer.example/authorize",\
        "redirect_uri":"http://127.0.0.1:7777/"},"tokens":{"refresh_token":"r-1",\
        "access_tokens":[{"access_token":"a-1","token_type":"Bearer","obtained":\
        {"wall":1800000000,"boot_id":"","uptime":0},"lifetime":3600}],\
        "sign_in_needed":{"reason":"grant_refused","since":5},\
        "hold":{"reason":"moved","since":6}}}]}
        """

    @Test func aFileWrittenByHandIsRead() throws {
        let export = try AccountExport(decoding: Secret(Self.text))
        #expect(export.accounts.count == 1)
        #expect(export.accounts[0].name == "work")
        #expect(export.accounts[0].state == .signInNeeded)
        let again = try ExportFile.accounts(in: Array("\n \(Self.text)\n".utf8)) {
            throw ExportError.wrongPassphrase
        }
        #expect(again == export)
    }

    private static let account = "accounts[0]"

    /// K04, F-40, F-41.
    @Test(
        "what is not right is named and refused",
        arguments: [
            Row("vault-export", "other", .notAnExport), Row(#""format""#, #""x""#, .notAnExport),
            Row("}]}", "}]", .cutShort), Row("}]}", "}]} x", .cutShort),
            Row(#""version":1"#, #""version":2"#, .newerFormat(2)),
            Row(#""version":1"#, #""version":1e9"#, .newerFormat(255)),
            Row(#""version":1"#, #""version":0"#, "version"),
            Row(#""version":1"#, #""version":1.5"#, "version"),
            Row(#":1800000000,"vault_id""#, #":1e999,"vault_id""#, "exported_at"),
            Row("000102", "0001", "vault_id"), Row("false", "0", "moved"),
            Row(#""accounts""#, #""account""#, "accounts"),
            Row("[{\"account_id", "[7,{\"account_id", account),
            Row("202122", "2021", "\(account).account_id"),
            Row(#""generation":3"#, #""generation":0"#, "\(account).generation"),
            Row(#""generation":3"#, #""generation":-1"#, "\(account).generation"),
            Row(#""generation":3"#, #""generation":2.5"#, "\(account).generation"),
            Row(#""generation":3"#, #""generation":9007199254740994"#, "\(account).generation"),
            Row(#""name":"work""#, #""name":"-x""#, "\(account).settings"),
            Row(#""name":"work""#, #""name":"../a""#, "\(account).settings"),
            Row(#""name":"work""#, #""name":"a\u001b[2J""#, "\(account).settings"),
            Row(#""name":"work""#, #""name":"a\u2028b""#, "\(account).settings"),
            Row(
                #""name":"work""#,
                #""name":"\#(String(repeating: "a", count: 129))""#,
                "\(account).settings"
            ),
            Row(#""none""#, #""password""#, "\(account).settings"),
            Row(#""none""#, #""client_secret_post""#, "\(account).settings.client"),
            Row(#":"client""#, #":"""#, "\(account).settings.client"),
            Row(
                "https://issuer.example/token",
                "http://evil.example/",
                "\(account).settings.token_endpoint"
            ),
            Row(
                "https://issuer.example/token",
                "file:///etc",
                "\(account).settings.token_endpoint"
            ),
            Row(
                "https://issuer.example/authorize",
                "javascript:x",
                "\(account).settings.authorization_endpoint"
            ),
            Row(#":"https://issuer.example","#, #":"\u001b]0;x","#, "\(account).settings.issuer"),
            Row(
                "http://127.0.0.1:7777/",
                "http://evil.example/",
                "\(account).settings.redirect_uri"
            ),
            Row(
                #"7777/"}"#,
                #"7777/","refresh_endpoint":"http://evil.example/"}"#,
                "\(account).settings.refresh_endpoint"
            ),
            Row(
                #"7777/"}"#,
                #"7777/","refresh_parameters":[["client_secret","x"]]}"#,
                "\(account).settings.refresh_parameters"
            ),
            Row(
                #"7777/"}"#,
                #"7777/","rotation":"sometimes"}"#,
                "\(account).settings"
            ),
            Row(#""r-1""#, #""""#, "\(account).tokens.refresh_token"),
            Row(#""a-1""#, #""a\r\nX: y""#, "\(account).tokens.access_tokens[0]"),
            Row(#""a-1""#, #""""#, "\(account).tokens.access_tokens[0]"),
            Row(#""Bearer""#, #""\u001b""#, "\(account).tokens.access_tokens[0]"),
            Row("{\"wall\":1800000000", "{\"wall\":1e300", "\(account).tokens.access_tokens[0]"),
            Row("{\"wall\":1800000000", "{\"wall\":-1", "\(account).tokens.access_tokens[0]"),
            Row(#""lifetime":3600"#, #""lifetime":1e300"#, "\(account).tokens.access_tokens[0]"),
            Row(#""since":5"#, #""since":1e300"#, "\(account).tokens"),
            Row(#""since":6"#, #""since":"6""#, "\(account).tokens"),
            Row("grant_refused", "whatever", "\(account).tokens"),
        ]
    )
    func refused(row: Row) throws {
        let text = Self.text.replacing(row.old, with: row.new)
        try #require(text != Self.text)
        #expect(throws: row.error) { try AccountExport(decoding: Secret(text)) }
    }

    @Test func everyTruncationIsRefused() {
        for count in 0..<Self.text.utf8.count {
            #expect(throws: StoreError.self) {
                try ExportFile.accounts(in: Array(Self.text.utf8.prefix(count))) { Secret("x") }
            }
        }
    }

    @Test(arguments: ["", "\0", "not an export", "SQLite format 3\0", "[]", "\"{\""])
    func whatIsNoExportIsCalledThat(_ text: String) {
        #expect(throws: StoreError.export(.notAnExport)) {
            try ExportFile.accounts(in: Array(text.utf8)) { Secret("x") }
        }
    }

    @Test func filesThatCannotBeReadAreNamed() async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/none"
            #expect(throws: StoreError.file(path: path, .notFound)) { try ExportFile.read(path) }
            #expect(throws: StoreError.self) { try ExportFile.read(folder) }
        }
    }
}
