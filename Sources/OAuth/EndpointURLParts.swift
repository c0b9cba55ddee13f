/// The parts of an `EndpointURL`, read strictly by RFC 3986 and without repairs: two readers that
/// mend a URL differently would disagree on the host a secret goes to.
struct EndpointURLParts {
    let isSecure: Bool
    let host: String
    let port: Int
    let path: String
    let query: String?
    let isLoopback: Bool

    init(_ text: String) throws(EndpointURLError) {
        let (isSecure, rest) = try Self.splitScheme(text)
        let end = rest.firstIndex { $0 == "/" || $0 == "?" || $0 == "#" } ?? rest.endIndex
        let (hostText, portText) = try Self.splitAuthority(rest[..<end])
        let host = try HostName(hostText)
        try Self.checkCharacters(rest[end...])

        self.isSecure = isSecure
        self.host = host.text
        isLoopback = host.isLoopback
        port = try Self.port(portText, isSecure: isSecure)
        let target = rest[end...].split(
            separator: "?",
            maxSplits: 1,
            omittingEmptySubsequences: false
        )
        path = target.first.flatMap { $0.isEmpty ? nil : String($0) } ?? "/"
        query = target.count == 2 ? String(target[1]) : nil
        guard isSecure || isLoopback else { throw .insecure }
    }

    var origin: String {
        let scheme = isSecure ? "https" : "http"
        let name = host.contains(":") ? "[\(host)]" : host
        return port == Self.defaultPort(isSecure)
            ? "\(scheme)://\(name)" : "\(scheme)://\(name):\(port)"
    }

    private static func defaultPort(_ isSecure: Bool) -> Int { isSecure ? 443 : 80 }

    private static func splitScheme(
        _ text: String
    ) throws(EndpointURLError) -> (isSecure: Bool, rest: Substring) {
        for (scheme, isSecure) in [("https://", true), ("http://", false)]
        where text.prefix(scheme.count).lowercased() == scheme {
            return (isSecure, text.dropFirst(scheme.count))
        }
        throw .notHTTP
    }

    private static func splitAuthority(
        _ authority: Substring
    ) throws(EndpointURLError) -> (host: Substring, port: Substring?) {
        guard !authority.contains("@") else { throw .userInfo }
        guard !authority.isEmpty else { throw .hostMissing }
        // The colons of an IPv6 address stand inside brackets.
        let bracket = authority.lastIndex(of: "]") ?? authority.startIndex
        guard let colon = authority[bracket...].firstIndex(of: ":") else { return (authority, nil) }
        return (authority[..<colon], authority[authority.index(after: colon)...])
    }

    private static func port(
        _ text: Substring?,
        isSecure: Bool
    ) throws(EndpointURLError) -> Int {
        guard let text else { return defaultPort(isSecure) }
        guard text.utf8.count <= 5, text.utf8.allSatisfy(\.isDigit), let port = Int(text),
            (1...65535).contains(port)
        else { throw .portMalformed }
        return port
    }

    private static func checkCharacters(_ target: Substring) throws(EndpointURLError) {
        guard !target.utf8.contains(UInt8(ascii: "#")) else { throw .fragment }
        var escaped = 0
        for byte in target.utf8 {
            if escaped > 0 {
                guard byte.isHexDigit else { throw .forbiddenCharacter }
                escaped -= 1
            } else if byte == UInt8(ascii: "%") {
                escaped = 2
            } else if !byte.isAllowedInTarget {
                throw .forbiddenCharacter
            }
        }
        guard escaped == 0 else { throw .forbiddenCharacter }
    }
}

extension UInt8 {
    var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

    var isLetter: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20) }

    var isHexDigit: Bool { hexValue != nil }

    var hexValue: UInt8? {
        if isDigit { return self - UInt8(ascii: "0") }
        let lower = self | 0x20
        guard (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(lower) else { return nil }
        return lower - UInt8(ascii: "a") + 10
    }

    /// Characters of a path or query (RFC 3986 §3.3–3.4), the percent sign apart.
    fileprivate var isAllowedInTarget: Bool {
        isDigit || isLetter || "-._~!$&'()*+,;=:@/?".utf8.contains(self)
    }
}
