internal import OAuth
internal import VaultCrypto

/// Puts an answer together from the pieces that arrive, within its limits.
struct AnswerCollector {
    private let limit: Int
    private var body = WipedBytes()
    private var headers: [(name: String, value: String)] = []
    private var headerBytes = 0
    private(set) var isHeaderComplete = false
    private(set) var isTooLarge = false

    /// Bytes of all header lines together, those of 1xx answers and trailers included.
    private static let headerLimit = 64 << 10

    init(limit: Int) {
        self.limit = limit
    }

    mutating func receiveBody(_ bytes: UnsafeRawBufferPointer) -> Bool {
        isTooLarge = body.count + bytes.count > limit
        if !isTooLarge { body.append(bytes) }
        return !isTooLarge
    }

    /// One line of a header, its line break included.
    mutating func receiveHeader(_ bytes: UnsafeRawBufferPointer) -> Bool {
        headerBytes += bytes.count
        isTooLarge = headerBytes > Self.headerLimit
        guard !isTooLarge else { return false }
        take(String(decoding: bytes, as: UTF8.self))
        return true
    }

    private mutating func take(_ line: String) {
        let text = line.trimmingBlanks()
        if line.hasPrefix("HTTP/") {
            // A 1xx answer came before this one.
            headers = []
            isHeaderComplete = false
        } else if text.isEmpty {
            isHeaderComplete = true
        } else if isHeaderComplete {
            return  // A trailer after a chunked body.
        } else if line.first?.isBlank == true, let last = headers.popLast() {
            // RFC 9112 §5.2: a folded line continues the one before.
            headers.append((last.name, "\(last.value) \(text)"))
        } else if let colon = text.firstIndex(of: ":") {
            headers.append(
                (
                    text[..<colon].trimmingBlanks(),
                    text[text.index(after: colon)...].trimmingBlanks()
                )
            )
        }
    }

    /// The answer, once it is complete.
    func response(status: Int) -> HTTPResponse {
        HTTPResponse(status: status, headers: headers, body: body.secret())
    }
}

extension StringProtocol {
    fileprivate func trimmingBlanks() -> String {
        var rest = self[...]
        while rest.first?.isBlank == true { rest = rest.dropFirst() }
        while rest.last?.isBlank == true { rest = rest.dropLast() }
        return String(rest)
    }
}

extension Character {
    fileprivate var isBlank: Bool { self == " " || self == "\t" || isNewline }
}
