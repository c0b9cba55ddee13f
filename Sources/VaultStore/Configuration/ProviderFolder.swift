package import OAuth
internal import Platform
package import VaultAccess

/// A provider that an account can be signed in at.
package struct KnownProvider: Sendable {
    package let name: String
    package let entry: ProviderCatalogue.Entry
    /// The file of the person's own that says it; nil for one of the catalogue.
    package let file: String?

    package init(name: String, entry: ProviderCatalogue.Entry, file: String? = nil) {
        self.name = name
        self.entry = entry
        self.file = file
    }
}

/// The providers there are: the catalogue's, and a person's own in `providers/*.json` of the vault's
/// directory.
///
/// Whoever can write such a file can lead a sign-in to a server of theirs, so the folder and its
/// files are held to the rules of the vault's own.
package struct ProviderFolder: Sendable {
    /// More were not written by hand.
    private static let fileLimit = 64
    private static let byteLimit = 64 << 10

    private let path: String

    package init(_ location: VaultLocation) {
        path = location.providers
    }

    /// The provider of a name; nil when there is none.
    ///
    /// A file that is broken does not keep anybody from the catalogue's.
    package func provider(named name: String) throws -> KnownProvider? {
        if let entry = ProviderCatalogue.builtIn[name] {
            return KnownProvider(name: name, entry: entry)
        }
        return try own().first { $0.name == name }
    }

    /// All of them, in the order of their names.
    package func all() throws -> [KnownProvider] {
        let catalogue = ProviderCatalogue.builtIn
        let known = catalogue.names.compactMap { name in
            catalogue[name].map { KnownProvider(name: name, entry: $0) }
        }
        return (try own() + known).sorted { $0.name < $1.name }
    }

    /// Those of the person's own.
    ///
    /// - Throws: `VaultError` and `PermissionProblem` of what is wrong with the folder or a file, with
    ///   its line and member.
    package func own() throws -> [KnownProvider] {
        guard FileSystem.exists(path) else { return [] }
        try FilePermissions.checkDirectory(path)
        let files = try FileSystem.entries(of: path)
            .filter { $0.hasSuffix(".json") && !$0.hasPrefix(".") }.sorted()
        guard files.count <= Self.fileLimit else {
            throw ConfigurationProblem(line: 1, .tooLarge(limit: Self.fileLimit)).error(path: path)
        }
        var providers: [KnownProvider] = []
        for name in files {
            let file = "\(path)/\(name)"
            for (name, entry) in try entries(file) {
                if let other = providers.first(where: { $0.name == name })?.file {
                    let wanted = "another name, as \(other) has it"
                    throw ConfigurationProblem(line: 1, .unfit(name, wanted: wanted))
                        .error(path: file)
                }
                providers.append(KnownProvider(name: name, entry: entry, file: file))
            }
        }
        return providers
    }

    private func entries(_ path: String) throws -> [String: ProviderCatalogue.Entry] {
        do {
            let file = try OpenFile(reading: path, followingLinks: false)
            try FilePermissions.checkFile(path, file.status)
            let text = try file.read(limit: Self.byteLimit + 1)
            guard text.count <= Self.byteLimit else {
                throw ConfigurationProblem(line: 1, .tooLarge(limit: Self.byteLimit))
            }
            return try ProviderFile.read(text)
        } catch let problem as ConfigurationProblem {
            throw problem.error(path: path)
        } catch let error as SystemError where error == .tooManyLinks {
            throw PermissionProblem(path: path, found: .symbolicLink)
        } catch let error as SystemError {
            throw StoreError.file(path: path, error)
        }
    }
}
