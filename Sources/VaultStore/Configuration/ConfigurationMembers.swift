/// The members of one object of a configuration, each to be asked for; what nobody asked for is
/// unknown.
struct ConfigurationMembers {
    private let path: String
    private let line: Int
    private var rest: [LocatedJSON.Member]

    /// An object, named by its path from the outermost one.
    init(_ value: LocatedJSON, path: String = "") throws(ConfigurationProblem) {
        guard case .object(let members) = value.value else {
            let name = path.isEmpty ? "the document" : path
            throw ConfigurationProblem(line: value.line, .unfit(name, wanted: "an object"))
        }
        self.path = path
        line = value.line
        rest = members
    }

    /// Takes a member out; nil where it is not there.
    mutating func take(_ name: String) -> Found? {
        guard let index = rest.firstIndex(where: { $0.name == name }) else { return nil }
        return Found(name: full(name), value: rest.remove(at: index).value)
    }

    /// The same of one that has to be there.
    mutating func require(_ name: String) throws(ConfigurationProblem) -> Found {
        guard let found = take(name) else {
            throw ConfigurationProblem(line: line, .missing(full(name)))
        }
        return found
    }

    /// Takes every member out, whatever its name.
    mutating func takeAll() -> [(key: String, line: Int, found: Found)] {
        defer { rest = [] }
        return rest.map { ($0.name, $0.line, Found(name: full($0.name), value: $0.value)) }
    }

    /// Refuses what was not taken.
    func finish() throws(ConfigurationProblem) {
        guard let member = rest.first else { return }
        throw ConfigurationProblem(line: member.line, .unknown(full(member.name)))
    }

    private func full(_ name: String) -> String {
        path.isEmpty ? name : "\(path).\(name)"
    }

    /// A member that was there.
    struct Found {
        let name: String
        let value: LocatedJSON

        func unfit(_ wanted: String) -> ConfigurationProblem {
            ConfigurationProblem(line: value.line, .unfit(name, wanted: wanted))
        }

        func members() throws(ConfigurationProblem) -> ConfigurationMembers {
            try ConfigurationMembers(value, path: name)
        }

        /// A text for which something holds.
        func text(
            _ wanted: String,
            where isFit: (String) -> Bool
        ) throws(ConfigurationProblem) -> String {
            guard case .string(let text) = value.value, isFit(text) else { throw unfit(wanted) }
            return text
        }

        func number(in range: ClosedRange<Double>) throws(ConfigurationProblem) -> Double {
            guard case .number(let digits) = value.value, let number = Double(digits),
                range.contains(number)
            else { throw unfit("a number from \(range.lowerBound) to \(range.upperBound)") }
            return number
        }

        func whole(in range: ClosedRange<Int>) throws(ConfigurationProblem) -> Int {
            guard case .number(let digits) = value.value, let number = Int(digits),
                range.contains(number)
            else { throw unfit("a whole number from \(range.lowerBound) to \(range.upperBound)") }
            return number
        }
    }
}
