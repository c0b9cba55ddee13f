import FoundationEssentials
import Platform
import VaultCrypto
import VaultStore

/// Opens the vault and every record in it, and says as JSON what it found.
struct Check {
    let order: Order

    private struct Report: Encodable {
        var accounts: [Account] = []
        var selected: String?
        /// What is not as it should be.
        var faults: [String] = []
    }

    private struct Account: Encodable {
        let name: String
        let generation: UInt64
        let refreshToken: String?
        let accessToken: String?
        let state: String
        let hasIntent: Bool
        let isHeld: Bool
    }

    init(_ order: Order) {
        self.order = order
    }

    func run() throws {
        let file = try VaultFile(order.location)
        try file.unlock(with: .keyFileAt(path: order.keyFile))
        var report = Report()
        let selected = Self.found({ try file.selectedAccount() }, &report) ?? nil
        for hint in try file.hints(after: nil, limit: 10_000) {
            guard let name = AccountName(hint.name) else {
                report.faults.append("name: \(hint.name)")
                continue
            }
            guard let account = Self.found({ try file.account(named: name) }, &report) else {
                continue
            }
            report.accounts.append(Self.account(account))
            if account.id == selected { report.selected = name.text }
        }
        report.faults += try file.verify().findings.map { "\($0.part): \($0.problem)" }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        Announcement.result(String(decoding: try encoder.encode(report), as: UTF8.self))
    }

    /// What a part of the vault says, or nil and why it says nothing.
    private static func found<Value>(_ part: () throws -> Value, _ report: inout Report) -> Value? {
        do {
            return try part()
        } catch {
            report.faults.append(FaultName.of(error))
            return nil
        }
    }

    private static func account(_ account: StoredAccount) -> Account {
        Account(
            name: account.name.text,
            generation: account.generation,
            refreshToken: account.tokens.refreshToken?.reveal { $0 },
            accessToken: account.tokens.defaultToken?.value.reveal { $0 },
            state: account.health.state.rawValue,
            hasIntent: account.intent != nil,
            isHeld: account.tokens.hold != nil
        )
    }
}
