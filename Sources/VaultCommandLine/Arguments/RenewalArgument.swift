internal import VaultKit

/// A renewal policy on the command line.
enum RenewalArgument {
    static let words = RenewalPolicy.allCases.map(\.rawValue)

    /// The value of `--renewal`; nil where it is left out.
    static func option(_ arguments: inout ArgumentReader) throws(UsageError) -> RenewalPolicy? {
        guard let word = try arguments.option("--renewal") else { return nil }
        return try policy(word, of: "--renewal")
    }

    /// The policy that a word stands for.
    static func policy(
        _ word: String,
        of name: String = "POLICY"
    ) throws(UsageError) -> RenewalPolicy {
        guard let policy = RenewalPolicy(rawValue: word) else {
            throw .malformed(name, value: word, wanted: "eager, normal or manual")
        }
        return policy
    }
}
