/// A host as it stands in a URL: an ASCII name, an IPv4 address or a bracketed IPv6 address.
struct HostName {
    /// Lower case, an IPv6 address without brackets.
    let text: String
    let isLoopback: Bool

    init(_ written: Substring) throws(EndpointURLError) {
        guard written.utf8.allSatisfy({ $0 < 0x80 }) else { throw .hostNotASCII }
        guard written.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7f }) else {
            throw .forbiddenCharacter
        }
        let lower = written.lowercased()
        guard !lower.isEmpty else { throw .hostMissing }
        if lower.hasPrefix("[") {
            guard lower.hasSuffix("]"), let groups = IPv6Groups(lower.dropFirst().dropLast()) else {
                throw .hostMalformed
            }
            text = String(lower.dropFirst().dropLast())
            isLoopback = groups.isLoopback
        } else {
            guard Self.isName(lower) else { throw .hostMalformed }
            text = lower
            isLoopback = lower == "localhost" || Self.isLoopbackIPv4(lower)
        }
    }

    private static func isName(_ text: String) -> Bool {
        let labels = text.split(separator: ".", omittingEmptySubsequences: false)
        return text.utf8.count <= 253
            && labels.allSatisfy { label in
                (1...63).contains(label.utf8.count)
                    && label.utf8.first != UInt8(ascii: "-") && label.utf8.last != UInt8(ascii: "-")
                    && label.utf8.allSatisfy { $0.isDigit || $0.isLetter || "-_".utf8.contains($0) }
            }
    }

    /// 127.0.0.0/8 in four plain numbers; shorter or octal forms are for resolvers to misread.
    private static func isLoopbackIPv4(_ text: String) -> Bool {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy(isDecimalByte)
    }

    fileprivate static func isDecimalByte(_ text: Substring) -> Bool {
        text.utf8.allSatisfy(\.isDigit) && (1...3).contains(text.utf8.count) && UInt8(text) != nil
            && (text == "0" || text.first != "0")
    }
}

/// The eight groups of an IPv6 address (RFC 4291 §2.2), without zone.
private struct IPv6Groups {
    private let groups: [UInt16]

    var isLoopback: Bool { groups == [0, 0, 0, 0, 0, 0, 0, 1] }

    init?(_ text: Substring) {
        guard let gap = Self.gap(in: text) else {
            guard let all = Self.read(text), all.count == 8 else { return nil }
            groups = all
            return
        }
        let after = text[text.index(gap, offsetBy: 2)...]
        guard Self.gap(in: after) == nil, let head = Self.read(text[..<gap]),
            let tail = Self.read(after), head.count + tail.count <= 7
        else { return nil }
        groups = head + Array(repeating: 0, count: 8 - head.count - tail.count) + tail
    }

    private static func gap(in text: Substring) -> Substring.Index? {
        text.indices.dropLast().first { text[$0] == ":" && text[text.index(after: $0)] == ":" }
    }

    private static func read(_ text: Substring) -> [UInt16]? {
        guard !text.isEmpty else { return [] }
        var groups: [UInt16] = []
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        for (index, part) in parts.enumerated() {
            if part.contains("."), index == parts.count - 1, let pair = readIPv4(part) {
                groups += pair
            } else {
                guard (1...4).contains(part.utf8.count), part.utf8.allSatisfy(\.isHexDigit),
                    let group = UInt16(part, radix: 16)
                else { return nil }
                groups.append(group)
            }
        }
        return groups
    }

    private static func readIPv4(_ text: Substring) -> [UInt16]? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 4, parts.allSatisfy(HostName.isDecimalByte) else { return nil }
        let bytes = parts.compactMap { UInt16($0) }
        return [bytes[0] << 8 | bytes[1], bytes[2] << 8 | bytes[3]]
    }
}
