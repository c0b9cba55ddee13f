internal import VaultCrypto

/// The members of an answer, whichever format it came in.
///
/// The body decides on its format: content types are wrong too often to go by.
struct TokenBody {
    /// Larger bodies are not read.
    static let maximumBytes = 1 << 20

    let members: [String: JSONValue]
    /// False for a document that is not one of the two formats, or that broke off.
    let isReadable: Bool
    /// Whether it is a page made for people.
    let isMarkup: Bool

    init(_ body: Secret) {
        guard body.count <= Self.maximumBytes else {
            self.init(members: [:], isReadable: false, isMarkup: false)
            return
        }
        self = body.withBytes { Self.read($0) }
    }

    private init(members: [String: JSONValue], isReadable: Bool, isMarkup: Bool) {
        self.members = members
        self.isReadable = isReadable
        self.isMarkup = isMarkup
    }

    private static func read(_ text: Span<UInt8>) -> TokenBody {
        let content = contentRange(text)
        let first = content.isEmpty ? 0 : text[content.lowerBound]
        if first != UInt8(ascii: "{"), first != UInt8(ascii: "["), first != UInt8(ascii: "<"),
            let members = form(text, content)
        {
            return TokenBody(members: members, isReadable: true, isMarkup: false)
        }
        let document = JSONReader.read(text)
        return TokenBody(
            members: document.value.object ?? [:],
            isReadable: document.isComplete && document.value.object != nil,
            isMarkup: first == UInt8(ascii: "<")
        )
    }

    /// The body without a byte order mark and without blanks at its ends.
    private static func contentRange(_ text: Span<UInt8>) -> Range<Int> {
        var range = 0..<text.count
        if text.count >= 3, text[0] == 0xef, text[1] == 0xbb, text[2] == 0xbf {
            range = 3..<text.count
        }
        let isBlank = { (byte: UInt8) in byte <= 0x20 }
        while let first = range.first, isBlank(text[first]) { range.removeFirst() }
        while let last = range.last, isBlank(text[last]) { range.removeLast() }
        return range
    }

    /// A form that names a token, a device code or an error; everything else with an equals sign is
    /// prose.
    private static func form(_ text: Span<UInt8>, _ range: Range<Int>) -> [String: JSONValue]? {
        guard let pairs = FormDecoding.pairs(text.extracting(range)) else { return nil }
        let members = Dictionary(
            pairs.map { ($0.name, JSONValue.string($0.value)) },
            uniquingKeysWith: { $1 }
        )
        let isKnown = ["access_token", "device_code", "error"].contains { members[$0] != nil }
        return isKnown ? members : nil
    }
}
