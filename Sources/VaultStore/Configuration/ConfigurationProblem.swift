package import VaultAccess

/// What is wrong with a configuration, and in which line of it.
package struct ConfigurationProblem: Error, Sendable, Equatable {
    package enum Kind: Sendable, Equatable {
        case notJSON
        case notUTF8
        /// More bytes than it may have.
        case tooLarge(limit: Int)
        /// A member that this program does not know, by its path.
        case unknown(String)
        case repeated(String)
        /// A member that is not what it has to be, in words such as "an absolute path".
        case unfit(String, wanted: String)
        /// A member that has to be there too.
        case missing(String)
    }

    package let line: Int
    package let kind: Kind

    package init(line: Int, _ kind: Kind) {
        self.line = line
        self.kind = kind
    }

    /// The same as callers see it.
    package func error(path: String) -> VaultError {
        var facts: [VaultError.Fact: String] = [
            .path: path, .line: "\(line)", .reason: "configuration",
        ]
        switch kind {
        case .notJSON: facts[.found] = "not_json"
        case .notUTF8: facts[.found] = "not_utf8"
        case .tooLarge(let limit):
            facts[.found] = "too_large"
            facts[.wanted] = "\(limit)"
        case .unknown(let name): (facts[.found], facts[.field]) = ("unknown_member", name)
        case .repeated(let name): (facts[.found], facts[.field]) = ("repeated_member", name)
        case .missing(let name): (facts[.found], facts[.field]) = ("missing_member", name)
        case .unfit(let name, let wanted):
            (facts[.found], facts[.field]) = ("unfit_member", name)
            facts[.wanted] = wanted
        }
        return VaultError(.invalidInput, facts: facts)
    }
}
