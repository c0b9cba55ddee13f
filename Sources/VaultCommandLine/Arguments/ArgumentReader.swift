/// What is wrong with the words on the command line.
package enum UsageError: Error, Sendable, Equatable {
    case unknownCommand(String, nearest: String?)
    case unknownOption(String, nearest: String?)
    case unknownProvider(String, nearest: String?)
    case missingValue(option: String)
    case repeatedOption(String)
    case tooMany(option: String, limit: Int)
    case unexpectedValue(option: String)
    case missing(String)
    case strayWord(String)
    case malformed(String, value: String, wanted: String)
    /// The value is not quoted: in place of the number somebody may have typed the secret itself.
    case notADescriptor(option: String)
}

/// Takes options and values off the command line, one by one.
///
/// `--name value`, `--name=value`, `-n value`; `--` ends the options, `-` is a value. Options are
/// read before values. A value that begins with a dash is given as `--name=value`: a value that was
/// forgotten must not swallow the option behind it. No bundling and no abbreviations: a new option
/// never changes what an old script means.
package struct ArgumentReader: Sendable {
    /// What is not read yet.
    ///
    /// A word that was taken leaves its place empty, so that words which stood apart never become an
    /// option and its value.
    private var words: [String?]
    /// Words behind `--`: never options.
    private var literals: [String]
    private var known: [String] = []

    package init(_ arguments: [String]) {
        let end = arguments.firstIndex(of: "--") ?? arguments.endIndex
        words = Array(arguments[..<end])
        literals = Array(arguments[end...].dropFirst())
    }

    /// Whether a flag is there.
    package mutating func flag(_ names: String...) throws(UsageError) -> Bool {
        known += names
        let rest = words.compactMap { $0 }
        if let name = names.first(where: { name in rest.contains { $0.hasPrefix(name + "=") } }) {
            throw .unexpectedValue(option: name)
        }
        let found = words.indices.filter { words[$0].map(names.contains) ?? false }
        guard found.count <= 1 else { throw .repeatedOption(names[0]) }
        guard let index = found.first else { return false }
        words[index] = nil
        return true
    }

    /// The value of an option that may be there once.
    package mutating func option(_ names: String...) throws(UsageError) -> String? {
        known += names
        let values = try take(names)
        guard values.count <= 1 else { throw .repeatedOption(names[0]) }
        return values.first
    }

    /// The values of an option that may be there any number of times.
    package mutating func options(_ names: String...) throws(UsageError) -> [String] {
        known += names
        return try take(names)
    }

    /// An option whose value may be left out: absent, present, or present with `=value`.
    package mutating func optionalValue(_ name: String) throws(UsageError) -> String?? {
        known.append(name)
        let found = words.indices.filter { index in
            words[index].map { $0 == name || $0.hasPrefix(name + "=") } ?? false
        }
        guard found.count <= 1 else { throw .repeatedOption(name) }
        guard let index = found.first, let word = words[index] else { return .none }
        words[index] = nil
        guard word != name else { return .some(nil) }
        let value = String(word.dropFirst(name.count + 1))
        guard !value.isEmpty else { throw .missingValue(option: name) }
        return .some(value)
    }

    /// The next word that is no option.
    package mutating func value(named placeholder: String) throws(UsageError) -> String {
        guard let value = try optionalWord() else { throw .missing(placeholder) }
        return value
    }

    /// The next word that is no option, if there is one.
    package mutating func optionalWord() throws(UsageError) -> String? {
        guard let index = words.firstIndex(where: { $0 != nil }), let word = words[index] else {
            return literals.isEmpty ? nil : literals.removeFirst()
        }
        try refuseOption(word)
        words[index] = nil
        return word
    }

    /// Every command ends its reading with this: nothing may be left.
    package func finish() throws(UsageError) {
        let rest = words.compactMap { $0 }
        for word in rest { try refuseOption(word) }
        if let stray = (rest + literals).first { throw .strayWord(stray) }
    }

    private mutating func take(_ names: [String]) throws(UsageError) -> [String] {
        var values: [String] = []
        for index in words.indices {
            guard let word = words[index] else { continue }
            if let name = names.first(where: { word.hasPrefix($0 + "=") && $0.hasPrefix("--") }) {
                values.append(String(word.dropFirst(name.count + 1)))
            } else if names.contains(word) {
                values.append(try takeWord(behind: index, as: word))
            } else {
                continue
            }
            words[index] = nil
        }
        return values
    }

    private mutating func takeWord(
        behind index: Int,
        as option: String
    ) throws(UsageError) -> String {
        guard index + 1 < words.count, let value = words[index + 1], !Self.isOption(value) else {
            throw .missingValue(option: option)
        }
        words[index + 1] = nil
        return value
    }

    private func refuseOption(_ word: String) throws(UsageError) {
        guard Self.isOption(word) else { return }
        let name = String(word.prefix { $0 != "=" })
        throw .unknownOption(name, nearest: Suggestion.nearest(to: name, in: known))
    }

    private static func isOption(_ word: String) -> Bool {
        word.hasPrefix("-") && word != "-"
    }
}
