internal import FoundationEssentials

/// How every document of the vault is written: stable order, times in RFC 3339.
package enum WireJSON {
    /// The number in every document; it grows when a member changes its meaning.
    package static let schemaVersion = 1

    package static func encode(_ document: some Encodable) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        return Array(try encoder.encode(document))
    }

    package static func decode<Document: Decodable>(
        _ type: Document.Type,
        from bytes: [UInt8]
    ) throws -> Document {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        return try decoder.decode(type, from: Data(bytes))
    }
}
