internal import FoundationEssentials
internal import VaultCrypto

/// The plaintexts of sealed records: JSON in and out of `Secret`.
///
/// What the coders copy on the way is not wiped; SECURITY.md says so.
enum SealedJSON {
    static func encode(_ value: some Encodable) throws -> Secret {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .secondsSince1970
        var bytes = Array(try encoder.encode(value))
        return Secret(wiping: &bytes)
    }

    static func decode<Value: Decodable>(
        _ type: Value.Type,
        from plaintext: Secret
    ) throws(SealingError) -> Value {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .secondsSince1970
        let data = plaintext.withBytes { bytes in
            unsafe bytes.withUnsafeBufferPointer { unsafe Data(buffer: $0) }
        }
        do {
            return try decoder.decode(type, from: data)
        } catch {
            // The seal is good and the content is not: as unusable as one that does not open. The
            // decoder's own words may quote the content.
            throw SealingError()
        }
    }
}
