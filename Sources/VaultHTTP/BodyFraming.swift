internal import OAuth
internal import VaultAccess
internal import VaultCrypto

/// How the server learns where the body of a request ends.
enum BodyFraming {
    /// There is none, and nothing is said about one.
    case none
    case length(Int)
    case chunks

    init(_ request: ResourceRequest) {
        self =
            switch request.body.content {
            // RFC 9110 §8.6: where a method has a use for a body, its absence is said.
            case .none: [.post, .put, .patch].contains(request.method) ? .length(0) : .none
            case .bytes(let bytes): .length(bytes.count)
            case .pieces(let length, _): length.map { .length($0) } ?? .chunks
            }
    }

    /// Its bytes, -1 where nobody knows.
    var size: Int {
        switch self {
        case .none: 0
        case .length(let count): count
        case .chunks: -1
        }
    }
}

extension ResourceRequest {
    /// Whether it is what it says on the wire.
    var isSendable: Bool {
        guard deadline > 0, idleLimit > 0, !url.string.utf8.contains(0) else { return false }
        return method.isSendable && headers.areSendable && isBodySendable
            && !headers.contains { Self.framingFields.contains($0.name.lowercased()) }
    }

    private var isBodySendable: Bool {
        if case .pieces(let length?, _) = body.content, length < 0 { return false }
        // RFC 9110 §9.3.2: a HEAD has no content.
        if case .none = body.content { return true }
        return method != .head
    }

    /// The transport alone says where a body ends: a second word on it could smuggle a request.
    private static let framingFields: Set = ["content-length", "transfer-encoding"]
}

extension ResourceRequest.Method {
    /// Whether it is a token; CONNECT is no request for a resource.
    fileprivate var isSendable: Bool {
        rawValue.isToken && rawValue != "CONNECT"
    }
}

extension [HTTPHeader] {
    /// Whether the fields stay what they are on the wire: a line break would start a new one, and
    /// libcurl has a meaning of its own for some that are none.
    var areSendable: Bool {
        allSatisfy { header in
            header.name.isToken
                && header.value.reveal { !$0.utf8.contains(where: \.endsFieldValue) }
        }
    }
}

extension String {
    /// Whether it is a token (RFC 9110 §5.6.2).
    fileprivate var isToken: Bool { !isEmpty && utf8.allSatisfy(\.isTokenByte) }
}

extension UInt8 {
    /// Whether it is one of those that end the value of a field, for a server or for libcurl.
    var endsFieldValue: Bool { [0, 10, 13].contains(self) }

    fileprivate var isTokenByte: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default:
            "!#$%&'*+-.^_`|~".utf8.contains(self)
        }
    }
}
