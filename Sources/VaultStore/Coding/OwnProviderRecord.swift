internal import FoundationEssentials
internal import OAuth
internal import VaultCrypto

/// A provider of a person's own in an account record: what its file said at the sign-in, as text.
enum OwnProviderRecord {
    static func value(of entry: ProviderCatalogue.Entry?) -> JSONValue? {
        guard let entry else { return nil }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let json = try? encoder.encode(entry) else {
            preconditionFailure("a provider's entry does not encode")
        }
        return .text(String(decoding: json, as: UTF8.self))
    }

    /// One that only a newer program can read makes the record unusable: its answers would be read
    /// as what they are not.
    static func read(
        _ record: SealedJSON
    ) -> (String) throws(SealingError) -> ProviderCatalogue.Entry {
        { (name) throws(SealingError) in
            let json = Array(try record.text(name).utf8)
            let entry = try? JSONDecoder().decode(ProviderCatalogue.Entry.self, from: Data(json))
            guard let entry else { throw SealingError() }
            return entry
        }
    }
}
