internal import FoundationEssentials
package import OAuth

/// A file of a person's own providers, in the format of the catalogue.
///
/// What is wrong with it is theirs to find: each problem has its line and its member.
package enum ProviderFile {
    /// Reads the text of one.
    ///
    /// - Throws: ``ConfigurationProblem``, also for a name that the catalogue has: a file decides about
    ///   no provider that people know by that name.
    package static func read(
        _ text: [UInt8]
    ) throws(ConfigurationProblem) -> [String: ProviderCatalogue.Entry] {
        let document = try LocatedJSON.read(text)
        var members = try ConfigurationMembers(document)
        for (name, line, found) in members.takeAll() {
            if let wanted = wantedName(for: name) {
                throw ConfigurationProblem(line: line, .unfit(name, wanted: wanted))
            }
            try ProviderMembers.check(found)
        }
        var entries: [String: ProviderCatalogue.Entry]
        do {
            entries = try JSONDecoder().decode(
                [String: ProviderCatalogue.Entry].self,
                from: Data(text)
            )
        } catch {
            throw ConfigurationProblem(error, in: document)
        }
        for (name, var entry) in entries {
            let line = document.line(of: [name])
            try check(&entry, name, line)
            entries[name] = entry
        }
        return entries
    }

    private static func wantedName(for name: String) -> String? {
        guard ProviderCatalogue.isName(name) else { return "a name of small letters, digits and -" }
        return ProviderCatalogue.builtIn[name] == nil
            ? nil : "another name, as the catalogue has a provider of this one"
    }

    private static func check(
        _ entry: inout ProviderCatalogue.Entry,
        _ name: String,
        _ line: Int
    ) throws(ConfigurationProblem) {
        guard entry.tokenTemplate != nil || entry.signIn.issuer != nil else {
            throw ConfigurationProblem(line: line, .missing("\(name).token_endpoint"))
        }
        if entry.hosts.isEmpty { entry.hosts = entry.fixedHosts.sorted() }
        guard let stray = entry.fixedHosts.filter({ !entry.isRecognised(host: $0) }).min() else {
            return
        }
        throw ConfigurationProblem(
            line: line,
            .unfit("\(name).hosts", wanted: "a list that has \(stray) too")
        )
    }
}

/// The members that an entry may have: one that is mistyped would be a wish that nothing follows.
private enum ProviderMembers {
    private static let parts: [String: Set<String>] = [
        "quirks": Set(ProviderQuirks.CodingKeys.allCases.map(\.rawValue)),
        "revocation": Set(ProviderRevocation.CodingKeys.allCases.map(\.rawValue)),
        "token_requests": ["count", "seconds"],
    ]

    static func check(_ entry: ConfigurationMembers.Found) throws(ConfigurationProblem) {
        var members = try entry.members()
        for name in ProviderCatalogue.Entry.memberNames.sorted() {
            guard let found = members.take(name), let known = parts[name] else { continue }
            var part = try found.members()
            for name in known {
                guard let found = part.take(name), name == "error_texts" else { continue }
                try checkTexts(found)
            }
            try part.finish()
        }
        try members.finish()
    }

    private static func checkTexts(
        _ found: ConfigurationMembers.Found
    ) throws(ConfigurationProblem) {
        guard case .array(let elements) = found.value.value else { return }
        for (index, element) in elements.enumerated() {
            var members = try ConfigurationMembers(element, path: "\(found.name).\(index)")
            for name in ["text", "code", "meaning"] { _ = members.take(name) }
            try members.finish()
        }
    }
}

extension ConfigurationProblem {
    /// What a decoder says, with the line that it says it of.
    fileprivate init(_ error: any Error, in document: LocatedJSON) {
        guard let error = error as? DecodingError else {
            self.init(line: 1, .notJSON)
            return
        }
        switch error {
        case .keyNotFound(let key, let context):
            let path = context.codingPath.map(\.stringValue)
            let name = (path + [key.stringValue]).joined(separator: ".")
            self.init(line: document.line(of: path), .missing(name))
        case .typeMismatch(let type, let context), .valueNotFound(let type, let context):
            self.init(context.codingPath, wanted: Self.words("\(type)"), document)
        case .dataCorrupted(let context):
            let wanted = Self.choices(context.codingPath) ?? context.debugDescription
            self.init(context.codingPath, wanted: wanted, document)
        @unknown default: self.init(line: 1, .notJSON)
        }
    }

    private init(_ codingPath: [any CodingKey], wanted: String, _ document: LocatedJSON) {
        let path = codingPath.map { $0.intValue.map(String.init) ?? $0.stringValue }
        self.init(
            line: document.line(of: path),
            .unfit(path.joined(separator: "."), wanted: wanted)
        )
    }

    private static func words(_ type: String) -> String {
        switch type {
        case "String": "a text"
        case "Bool": "true or false"
        case "Double", "Int": "a number"
        case let type where type.hasPrefix("Array"): "a list"
        default: "an object"
        }
    }

    /// What a member that takes one of a few words wants.
    private static func choices(_ codingPath: [any CodingKey]) -> String? {
        let names = codingPath.suffix(2).map(\.stringValue)
        return switch names.last {
        case "client_authentication": "none, client_secret_basic or client_secret_post"
        case "body_format": "form or json"
        case "expires_in_unit": "seconds or milliseconds"
        case "form": ProviderRevocation.Form.allCases.map(\.rawValue).joined(separator: ", ")
        case "meaning": meanings
        default: names.first == "error_codes" ? meanings : nil
        }
    }

    private static var meanings: String {
        ProviderQuirks.ErrorMeaning.allCases.map(\.rawValue).joined(separator: ", ")
    }
}

extension LocatedJSON {
    /// The line of a value by the names and places that lead to it; of the last that is there.
    func line(of path: [String]) -> Int {
        guard let name = path.first else { return line }
        let next: LocatedJSON? =
            switch value {
            case .object(let members): members.first { $0.name == name }?.value
            case .array(let elements):
                Int(name).flatMap { elements.indices.contains($0) ? elements[$0] : nil }
            default: nil
            }
        return next?.line(of: Array(path.dropFirst())) ?? line
    }
}
