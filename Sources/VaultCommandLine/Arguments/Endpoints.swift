internal import OAuth

extension EndpointURL {
    /// An option's value as an address, or what is wrong with it.
    static func argument(_ text: String, of option: String) throws(UsageError) -> EndpointURL {
        do {
            return try EndpointURL(text)
        } catch {
            throw .malformed(option, value: withoutUserInfo(text), wanted: error.wanted)
        }
    }

    /// The text without what stands before a host: that may be a password.
    static func withoutUserInfo(_ text: String) -> String {
        guard let at = text.lastIndex(of: "@") else { return text }
        let start = text[..<at].firstRange(of: "://")?.upperBound ?? text.startIndex
        return text[..<start] + "…" + text[at...]
    }
}

extension EndpointURLError {
    /// What an address has to be.
    fileprivate var wanted: String {
        switch self {
        case .notHTTP: "an https address"
        case .insecure: "https (http is for this machine alone)"
        case .hostMissing: "an address with a host"
        case .hostNotASCII: "in ASCII: write the host in its xn-- form"
        case .hostMalformed: "an address with a proper host"
        case .portMalformed: "an address with a proper port"
        case .userInfo: "an address without a user name"
        case .fragment: "an address without a fragment"
        case .forbiddenCharacter: "an address without blanks and control characters"
        }
    }
}

extension ArgumentReader {
    /// The value of an option as the number of an open descriptor.
    mutating func descriptor(_ name: String) throws(UsageError) -> Int32? {
        guard let text = try option(name) else { return nil }
        guard let number = Int32(text), number >= 0 else {
            throw .notADescriptor(option: name)
        }
        return number
    }
}
