internal import VaultHTTPServer

/// The fields of a form body or query.
///
/// A field sent twice makes it unusable (RFC 6749 §3.1, §3.2).
struct Form {
    private let fields: [String: String]

    init?(_ pairs: [(name: String, value: String)]) {
        guard let fields = try? Dictionary(pairs, uniquingKeysWith: { _, _ in throw Repeated() })
        else { return nil }
        // A field without a value counts as left out.
        self.fields = fields.filter { !$0.value.isEmpty }
    }

    init?(body request: HTTPServerRequest) {
        self.init(FormCoding.decode(String(decoding: request.body, as: UTF8.self)))
    }

    subscript(name: String) -> String? { fields[name] }

    private struct Repeated: Error {}
}
