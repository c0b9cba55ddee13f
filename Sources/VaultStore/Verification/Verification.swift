internal import VaultCrypto
internal import VaultSQLite

extension VaultFile {
    /// Looks at every part of the file, and opens every record if the keys are here.
    ///
    /// The records are read in short steps: a statement that stays open keeps others from writing.
    /// `progress` is told the number of accounts done.
    ///
    /// - Throws: What kept the file from being read at all; what is wrong with it is in the report.
    package func verify(
        progress: (Int) -> Void = { _ in }
    ) throws -> VerificationReport {
        var verification = Verification(file: self)
        try verification.run(progress)
        return verification.report
    }
}

/// One look at a vault, part by part: a part that is damaged hides none of the others.
struct Verification {
    let file: VaultFile
    var report = VerificationReport()

    var connection: Connection { file.connection }

    init(file: VaultFile) {
        self.file = file
    }

    mutating func run(_ progress: (Int) -> Void) throws {
        try look(at: .database) { try $0.checkStructure() }
        try look(at: .schema) { try $0.checkSchema() }
        try look(at: .migrations) { try $0.checkMigrations() }
        try look(at: .header) { try $0.checkHeader() }
        try look(at: .keyring) { try $0.checkSlots() }
        report.wasUnlocked = try openKeyring() != nil
        try look(at: .selection) { try $0.checkSelection() }
        try checkAccounts(progress)
        try look(at: .tags) { try $0.checkTags() }
        try look(at: .database) { try $0.checkReceivedTokens() }
        try look(at: .spentTokens) { try $0.checkSpentTokens() }
        try look(at: .activity) { try $0.checkActivity() }
    }

    mutating func find(
        _ problem: VerificationReport.Problem,
        in part: VerificationReport.Part
    ) {
        let finding = VerificationReport.Finding(part, problem)
        if !report.findings.contains(finding) { report.findings.append(finding) }
    }

    /// Runs one check; that its part cannot be read is a finding as well.
    mutating func look(
        at part: VerificationReport.Part,
        _ check: (inout Verification) throws -> Void
    ) throws {
        do {
            try check(&self)
        } catch let error as SQLiteError where error.isDamage {
            find(.unreadable, in: part)
        } catch StoreError.damaged {
            find(.malformed, in: part)
        } catch StoreError.tampered(let damaged) {
            find(.malformed, in: VerificationReport.Part(damaged))
        }
    }

    // MARK: - The file and its schema

    private mutating func checkStructure() throws {
        for line in try lines(of: "PRAGMA integrity_check(100)", column: 0) where line != "ok" {
            find(.structure(line), in: .database)
        }
        for table in try lines(of: "PRAGMA foreign_key_check", column: 0) {
            find(.structure("foreign key in \(table)"), in: .database)
        }
    }

    private func lines(of sql: String, column: Int32) throws -> [String] {
        var select = try connection.prepare(sql)
        var lines: [String] = []
        while try select.step() { lines.append(select.text(at: column)) }
        return lines
    }

    private mutating func checkSchema() throws {
        try Schema.check(connection, path: file.location.database)
    }

    /// The ledger has every migration once, each as this program knows it.
    private mutating func checkMigrations() throws {
        let isRight = try Schema.migrator.ledgerIsRight(
            in: connection,
            upTo: Schema.newestVersion
        )
        if !isRight { find(.malformed, in: .migrations) }
    }

    private mutating func checkHeader() throws {
        let header = try VaultHeader(reading: connection)
        if header.vaultID != file.vaultID { find(.malformed, in: .header) }
        let hasShape = SealedShape.isKeyring(header.keyringRecord)
        if !hasShape || header.keyringVersion < 1 { find(.malformed, in: .keyring) }
    }
}

extension VerificationReport.Part {
    init(_ part: StoreError.Part) {
        self =
            switch part {
            case .keyring: .keyring
            case .slot(let number): .slot(number)
            case .account(let name): .account(name)
            case .receivedToken(let number): .receivedToken(number)
            case .selection: .selection
            case .schema: .schema
            }
    }
}

/// The sizes that a sealed record may have: what can be said of one without a key.
enum SealedShape {
    private static let authenticator = 16
    private static let padding = 512

    /// Epoch, nonce, box.
    static func isRecord(_ bytes: [UInt8]) -> Bool {
        isPadded(bytes.count - 4 - KeyLength.nonce)
    }

    /// Nonce, box.
    static func isKeyring(_ bytes: [UInt8]) -> Bool {
        isPadded(bytes.count - KeyLength.nonce)
    }

    private static func isPadded(_ count: Int) -> Bool {
        count > authenticator && (count - authenticator).isMultiple(of: padding)
    }
}
