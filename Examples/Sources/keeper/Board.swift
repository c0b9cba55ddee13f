import Foundation
import VaultKit

/// How the accounts are, read at most once a second however many look at the page.
actor Board {
    private let vault: Vault
    private var last: (text: String, at: Date)?

    init(_ vault: Vault) {
        self.vault = vault
    }

    /// The page as HTML.
    func page() async -> String {
        if let last, abs(last.at.timeIntervalSinceNow) < 1 { return last.text }
        let text = await read()
        last = (text, Date())
        return text
    }

    private func read() async -> String {
        do {
            return Self.html(try await vault.accounts(), now: Date())
        } catch {
            return "<!doctype html><title>keeper</title><p>The vault cannot be read: \(error)</p>"
        }
    }

    private static func html(_ accounts: [Account], now: Date) -> String {
        let fresh = accounts.filter { account in account.expiry.map { $0 > now } ?? true }
        let rows = Dictionary(grouping: accounts, by: \.state)
            .sorted { $0.key.rawValue < $1.key.rawValue }
            .map { "<tr><td>\($0.key.rawValue)<td>\($0.value.count)" }
        let next = accounts.compactMap(\.due).min().map { "\(Int($0.timeIntervalSince(now))) s" }
        return """
            <!doctype html>
            <meta charset="utf-8">
            <title>keeper</title>
            <h1>\(fresh.count) of \(accounts.count) tokens are valid</h1>
            <table>
            <tr><th>state<th>accounts
            \(rows.joined(separator: "\n"))
            </table>
            <p>The next renewal is due in \(next ?? "no time that is known").

            """
    }
}
