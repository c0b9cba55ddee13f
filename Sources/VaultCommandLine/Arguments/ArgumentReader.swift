/// What is wrong with the words on the command line.
package enum UsageError: Error, Sendable, Equatable {
    case unknownCommand(String, nearest: String?)
    case unknownOption(String, nearest: String?)
    case missingValue(option: String)
    case repeatedOption(String)
    case unexpectedValue(option: String)
    case missing(String)
    case strayWord(String)
    case malformed(String, value: String, wanted: String)
}

/// Takes options and values off the command line, one by one.
///
/// `--name value`, `--name=value`, `-n value`; `--` ends the options, `-` is a value. Options are
/// read before values. No bundling and no abbreviations: a new option never changes what an old
/// script means.
package struct ArgumentReader: Sendable {
    private var words: [String]
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
        if let word = words.first(where: { word in names.contains { word.hasPrefix($0 + "=") } }) {
            throw .unexpectedValue(option: String(word.prefix { $0 != "=" }))
        }
        let found = words.indices.filter { names.contains(words[$0]) }
        guard found.count <= 1 else { throw .repeatedOption(words[found[1]]) }
        guard let index = found.first else { return false }
        words.remove(at: index)
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
        let found = words.indices.filter { words[$0] == name || words[$0].hasPrefix(name + "=") }
        guard found.count <= 1 else { throw .repeatedOption(name) }
        guard let index = found.first else { return .none }
        let word = words.remove(at: index)
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
        if let word = words.first {
            try refuseOption(word)
            return words.removeFirst()
        }
        return literals.isEmpty ? nil : literals.removeFirst()
    }

    /// Every command ends its reading with this: nothing may be left.
    package func finish() throws(UsageError) {
        for word in words { try refuseOption(word) }
        if let stray = (words + literals).first { throw .strayWord(stray) }
    }

    private mutating func take(_ names: [String]) throws(UsageError) -> [String] {
        var values: [String] = []
        var index = 0
        while index < words.count {
            let word = words[index]
            if let name = names.first(where: { word.hasPrefix($0 + "=") && $0.hasPrefix("--") }) {
                values.append(String(word.dropFirst(name.count + 1)))
                words.remove(at: index)
            } else if names.contains(word) {
                guard index + 1 < words.count else { throw .missingValue(option: word) }
                values.append(words[index + 1])
                words.removeSubrange(index...index + 1)
            } else {
                index += 1
            }
        }
        return values
    }

    private func refuseOption(_ word: String) throws(UsageError) {
        guard word.hasPrefix("-"), word != "-" else { return }
        let name = String(word.prefix { $0 != "=" })
        throw .unknownOption(name, nearest: Suggestion.nearest(to: name, in: known))
    }
}
