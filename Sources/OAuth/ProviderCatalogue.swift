package import FoundationEssentials

/// What is known of providers that depart from the standards, as data.
///
/// Read when first asked: the fast path of a lookup never is.
package struct ProviderCatalogue: Sendable {
    private let entries: [String: Entry]

    /// The catalogue in the program.
    package static let builtIn: ProviderCatalogue = {
        guard let catalogue = try? ProviderCatalogue(Data(PackageResources.providers_json)) else {
            // A test decodes it. Without it, answers would be read as what they are not.
            preconditionFailure("the provider catalogue in this program does not decode")
        }
        return catalogue
    }()

    /// A catalogue from its JSON: an object of entries by name.
    package init(_ json: Data) throws {
        entries = try JSONDecoder().decode([String: Entry].self, from: json)
    }

    /// Whether a name is one that an entry may have.
    package static func isName(_ name: String) -> Bool {
        name.utf8.count <= 64 && name.wholeMatch(of: /[a-z0-9][a-z0-9-]*/) != nil
    }

    /// The entry of this name.
    package subscript(name: String) -> Entry? { entries[name] }

    /// The names, in order.
    package var names: [String] { entries.keys.sorted() }

    /// The providers whose token endpoints may be on this host: something to suggest.
    package func names(forHost host: String) -> [String] {
        names.filter { entries[$0]?.isRecognised(host: host) ?? false }
    }
}
