/// The version of everything built from this tree.
package enum VaultVersion {
    /// As `vault --version` prints it, and as agent and command compare it.
    package static let current = "0.1.0"
}

/// A version as numbers, so that one can be told to be newer than another.
package struct VersionNumber: Sendable, Hashable, Comparable {
    private let numbers: [Int]

    /// Reads one to four numbers with dots between, and nothing of what follows a `-` or `+`; nil
    /// for anything else.
    package init?(_ text: String) {
        let release = text.prefix { $0 != "-" && $0 != "+" }
        let parts = release.split(separator: ".", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { part in
            part.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(part) : nil
        }
        guard (1...4).contains(parts.count), numbers.count == parts.count else { return nil }
        // One with fewer numbers is the same as with zeros after them.
        self.numbers = numbers + Array(repeating: 0, count: 4 - numbers.count)
    }

    package static func < (left: VersionNumber, right: VersionNumber) -> Bool {
        left.numbers.lexicographicallyPrecedes(right.numbers)
    }
}
