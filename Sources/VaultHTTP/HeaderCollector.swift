/// Puts the header of an answer together from the lines that arrive, within a limit.
struct HeaderCollector {
    private(set) var fields: [(name: String, value: String)] = []
    private(set) var isComplete = false
    private(set) var isTooLarge = false
    private var bytes = 0

    /// Bytes of all header lines together, those of 1xx answers and trailers included.
    private static let limit = 64 << 10

    /// One line of a header, its line break included; says no when it is too much.
    mutating func receive(_ line: UnsafeRawBufferPointer) -> Bool {
        bytes += line.count
        isTooLarge = bytes > Self.limit
        guard !isTooLarge else { return false }
        take(String(decoding: line, as: UTF8.self))
        return true
    }

    /// Whether the answer, or the connection after it, ends with the connection (RFC 9112 §6.3, §9.6).
    var closesConnection: Bool {
        let names = fields.map { $0.name.lowercased() }
        guard names.contains("content-length") || names.contains("transfer-encoding")
        else { return true }
        return zip(names, fields).contains {
            $0 == "connection" && $1.value.lowercased().contains("close")
        }
    }

    private mutating func take(_ line: String) {
        let text = line.trimmingBlanks()
        if line.hasPrefix("HTTP/") {
            // A 1xx answer came before this one.
            fields = []
            isComplete = false
        } else if text.isEmpty {
            isComplete = true
        } else if isComplete {
            return  // A trailer after a chunked body.
        } else if line.first?.isBlank == true, let last = fields.popLast() {
            // RFC 9112 §5.2: a folded line continues the one before.
            fields.append((last.name, "\(last.value) \(text)"))
        } else if let colon = text.firstIndex(of: ":") {
            fields.append(
                (
                    text[..<colon].trimmingBlanks(),
                    text[text.index(after: colon)...].trimmingBlanks()
                )
            )
        }
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
