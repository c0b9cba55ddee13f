internal import VaultCrypto

/// What a body says went wrong, gathered from the places where servers say it.
struct TokenProblem {
    /// The code as told.
    private(set) var code: String?
    /// Everything that may be a code, in one spelling: lower case, underscores.
    private(set) var codes: [String] = []
    /// Explanations, as told.
    private(set) var texts: [String] = []
    /// Whether the body speaks of a failure at all.
    private(set) var isTold = false

    /// No code or explanation is longer.
    private static let maximumLength = 1000
    /// Words that only repeat that something failed.
    private static let emptyWords: Set = [
        "error", "failure", "failed", "fail", "false", "bad_request", "unauthorized", "forbidden",
    ]

    init(_ members: [String: JSONValue], quirks: ProviderQuirks) {
        isTold = Self.tellsFailure(members, quirks)
        addError(members["error"])
        if let first = members["errors"]?.array?.first?.object { addListed(first) }
        for name in ["code", "errcode", "errorCode", "status", quirks.resultField ?? "result"] {
            add(code: members[name])
        }
        for name in ["suberror", "error_subtype"] { add(code: members[name]) }
        for name in [
            "error_description", "error_hint", "reason", "message", "Message", "errmsg",
            "errorMessage",
            "errorSummary", "hint",
        ] {
            add(text: members[name])
        }
    }

    private static func tellsFailure(
        _ members: [String: JSONValue],
        _ quirks: ProviderQuirks
    ) -> Bool {
        switch members["error"] {
        case nil, .null, .bool(false), .array([]): break
        case .string(let text) where text.isEmpty: break
        case .number(let digits) where Double(digits) == 0: break
        default: return true
        }
        if members["ok"]?.bool == false || members["success"]?.bool == false { return true }
        if let code = members["errcode"]?.double, code != 0 { return true }
        guard let field = quirks.resultField, let expected = quirks.okResult else { return false }
        return members[field].flatMap(plain) != expected
    }

    private mutating func addError(_ error: JSONValue?) {
        if let details = error?.object {
            for name in ["code", "type", "status"] { add(code: details[name]) }
            add(text: details["message"])
        } else {
            add(code: error)
            // Some put the whole explanation there.
            if error?.text?.contains(" ") == true { add(text: error) }
        }
    }

    private mutating func addListed(_ first: [String: JSONValue]) {
        add(code: first["errorType"])
        add(text: first["message"])
        if let field = first["field"]?.text, let code = first["code"]?.text {
            add(text: .string(Secret("\(field) \(code)")))
        }
    }

    private mutating func add(code value: JSONValue?) {
        guard let told = value.flatMap(Self.plain), !told.isEmpty else { return }
        let isNumber = told.utf8.allSatisfy { $0.isDigit || $0 == UInt8(ascii: "-") }
        let spelled = isNumber ? told : Self.spelled(told)
        codes.append(spelled)
        if code == nil, !isNumber, !Self.emptyWords.contains(spelled) { code = told }
    }

    private mutating func add(text value: JSONValue?) {
        guard let text = value?.text?.prefix(Self.maximumLength), !text.isEmpty else { return }
        texts.append(String(text))
        // A message may be nothing but the code.
        if !text.contains(where: \.isWhitespace) { codes.append(Self.spelled(String(text))) }
    }

    private static func plain(_ value: JSONValue) -> String? {
        if case .number(let digits) = value { return String(digits.prefix(maximumLength)) }
        return value.text.map { String($0.prefix(maximumLength)) }
    }

    private static func spelled(_ code: String) -> String {
        String(code.lowercased().map { $0.isWhitespace || $0 == "-" ? "_" : $0 })
    }
}
