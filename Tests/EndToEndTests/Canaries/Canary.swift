/// A secret that is looked for, by the name a leak is reported under.
struct Canary {
    let name: String
    private let forms: SecretSearch
    /// Where it may be: the one file that is made to hold it, also while that is being made.
    private let home: String?

    init(_ name: String, _ text: String) {
        self.init(name, bytes: Array(text.utf8))
    }

    init(_ name: String, bytes: [UInt8], livesIn home: String? = nil) {
        self.name = name
        forms = SecretSearch(for: bytes)
        self.home = home
    }

    /// The form in which it is there, unless it is at home.
    func form(in bytes: [UInt8], of place: String) -> String? {
        if let home, place.hasPrefix(home) { return nil }
        return forms.firstFound(in: bytes)
    }
}

/// Where programs put what others can see.
enum Channel: String, CaseIterable {
    case standardOutput
    case standardError
    /// Whatever is in the vault's directories: the file, its journal, the log, backups.
    case file
    /// Whatever was written to a file, also to one that is gone.
    case write
    /// What the agent answers to its clients, which is no place for what renews a token.
    case answer
    case argument
    case environment
    case crash
}

/// A secret that was found where it has no business.
struct Leak: Hashable, CustomStringConvertible {
    let channel: Channel
    let canary: String
    let form: String
    let place: String

    var description: String { "\(canary) (\(form)) in \(channel): \(place)" }
}
