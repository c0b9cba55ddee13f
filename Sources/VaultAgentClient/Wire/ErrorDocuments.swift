package import VaultAccess

/// An error: a stable code and what is known, in names rather than words.
package struct ErrorDocument: Codable, Sendable {
    package var schemaVersion = WireJSON.schemaVersion
    package let error: Failure

    package struct Failure: Codable, Sendable {
        package let code: String
        package let account: String?
        package let facts: [String: String]

        package init(code: String, account: String?, facts: [String: String]) {
            self.code = code
            self.account = account
            self.facts = facts
        }
    }

    package init(_ error: Failure) {
        self.error = error
    }
}

extension ErrorDocument.Failure {
    /// An error as it goes over the socket.
    package init(_ error: VaultError) {
        self.init(
            code: error.code.rawValue,
            account: error.account?.text,
            facts: Dictionary(uniqueKeysWithValues: error.facts.map { ($0.key.rawValue, $0.value) })
        )
    }
}

extension VaultError {
    /// An error as it came over the socket.
    package init(_ failure: ErrorDocument.Failure) {
        var facts: [Fact: String] = [:]
        for (name, value) in failure.facts {
            if let fact = Fact(rawValue: name) { facts[fact] = value }
        }
        self.init(
            Code(rawValue: failure.code),
            account: failure.account.flatMap { AccountName($0) },
            facts: facts
        )
    }
}
