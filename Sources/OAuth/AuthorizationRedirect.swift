package import VaultCrypto

/// Judges the requests that reach a redirect address (RFC 6749 §4.1.2, RFC 9207).
///
/// Anything on the machine, and any page in the browser, can send requests there. So nothing but the
/// right `state` ends the attempt, and whatever is wrong is passed over while the real answer may
/// still come. The first answer that counts is the only one.
package struct AuthorizationRedirect: Sendable {
    /// What a request comes to.
    package enum Judgement: Sendable {
        /// The authorization code, and parameters of the provider's own.
        case code(Secret, extra: [String: String])
        /// The server refused; the texts are fit to be shown as plain text.
        case failed(class: AnswerClass, code: String?, description: String?)
        /// Not the answer: reply with this status and keep waiting.
        case ignored(status: Int)
    }

    private let redirectURI: EndpointURL
    private let state: Secret
    private let issuer: String?
    private let isIssuerRequired: Bool
    private let takesCode: Bool
    private var isSettled = false

    /// Longer targets are not read.
    private static let maximumTarget = 1 << 16

    /// A judge for one attempt.
    ///
    /// - Parameters:
    ///   - redirectURI: The address registered and sent.
    ///   - state: The value sent.
    ///   - issuer: The issuer, letter by letter as its metadata states it.
    ///   - isIssuerRequired: Whether the metadata promises `iss` in every answer.
    ///   - takesCode: Whether a person may paste the code alone, without its state: only where a proof
    ///     key binds it to the attempt.
    package init(
        redirectURI: EndpointURL,
        state: Secret,
        issuer: String? = nil,
        isIssuerRequired: Bool = false,
        takesCode: Bool = false
    ) {
        self.redirectURI = redirectURI
        self.state = state
        self.issuer = issuer
        self.isIssuerRequired = isIssuerRequired
        self.takesCode = takesCode
    }

    /// Judges one request by its line and its `Host`, which HTTP/1.0 leaves out.
    package mutating func judge(method: String, target: String, host: String?) -> Judgement {
        guard target.utf8.count <= Self.maximumTarget else { return .ignored(status: 414) }
        guard let target = RedirectTarget(target) else { return .ignored(status: 400) }
        guard target.path == redirectURI.path else { return .ignored(status: 404) }
        guard [target.authority, host].allSatisfy({ $0.map(isOurs) ?? true }) else {
            return .ignored(status: 421)
        }
        // Link checkers and preflights ask first, with the code in the address.
        guard method == "GET" else { return .ignored(status: 405) }
        guard !isSettled else { return .ignored(status: 410) }
        guard let parameters = RedirectParameters(target.query) else {
            return .ignored(status: 400)
        }
        let judgement = judge(parameters)
        if case .ignored = judgement {} else { isSettled = true }
        return judgement
    }

    /// Judges an address that was copied from a browser on another machine, or the code that a page
    /// showed where that is taken.
    package mutating func judge(pasted text: String) -> Judgement {
        let text = text.trimmingBlanks
        guard takesCode, Self.isCode(text) else {
            return judge(method: "GET", target: text, host: nil)
        }
        guard !isSettled else { return .ignored(status: 410) }
        isSettled = true
        return .code(Secret(text), extra: [:])
    }

    /// Whether a text may be a code: visible, in one piece, and no part of an address that has one.
    private static func isCode(_ text: String) -> Bool {
        (1...maximumTarget).contains(text.utf8.count)
            && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f }
            && !["://", "code=", "state=", "error="].contains { text.contains($0) }
    }

    private func judge(_ parameters: RedirectParameters) -> Judgement {
        guard parameters["state"] == state, isIssuerAccepted(parameters) else {
            return .ignored(status: 400)
        }
        if let error = parameters.text("error"), !error.isEmpty {
            return .failed(
                class: Self.answerClass(of: error),
                code: PlainText.clean(error, limit: 64, without: nil),
                description: parameters.text("error_description").flatMap {
                    PlainText.clean($0, limit: 200, without: nil)
                }
            )
        }
        guard let code = parameters["code"], !code.isEmpty, code.isPrintable else {
            return .ignored(status: 400)
        }
        return .code(code, extra: parameters.extra)
    }

    /// A wrong issuer is refused even where none was promised; a missing one where it was.
    private func isIssuerAccepted(_ parameters: RedirectParameters) -> Bool {
        guard let issuer else { return true }
        guard let stated = parameters.text("iss") else { return !isIssuerRequired }
        return stated == issuer
    }

    /// Whether a host and port lead here: ours, or another name of this machine with our port.
    private func isOurs(_ authority: String) -> Bool {
        let scheme = redirectURI.string.lowercased().hasPrefix("https:") ? "https" : "http"
        // The check of http is for sending secrets; here the text is only taken apart.
        guard let parts = try? EndpointURL("https://" + authority) else { return false }
        let hasPort = authority.hasSuffix(":\(parts.port)")
        let port = hasPort ? parts.port : (scheme == "https" ? 443 : 80)
        return port == redirectURI.port
            && (parts.host == redirectURI.host || parts.isLoopback && redirectURI.isLoopback)
    }

    private static func answerClass(of error: String) -> AnswerClass {
        let code = error.lowercased()
        if let known = AnswerTable.codes[code] { return known }
        // Every provider has its own word for the same button.
        if code.contains("denied") || code.contains("cancel") { return .accessDenied }
        return code == "unsupported_response_type" ? .clientRefused : .ambiguous(.malformed)
    }
}
