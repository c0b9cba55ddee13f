/// The readers of what comes from outside, and what has to hold of each whatever it is given.
///
/// That nothing stops the process goes without saying.
package enum Parser: String, CaseIterable, Sendable {
    case tokenAnswer = "token-answer"
    case accessTokenExpiry = "access-token-expiry"
    case revocationAnswer = "revocation-answer"
    case identity
    case json
    case form
    case retryAfter = "retry-after"
    case date
    case scope
    case endpointURL = "endpoint-url"
    case proxyURL = "proxy-url"
    case certificates
    case challenge
    case discovery
    case authorizationRedirect = "authorization-redirect"
    case deviceAuthorization = "device-authorization"
    case clientRegistration = "client-registration"
    case exportArmor = "export-armor"
    case accountExport = "account-export"
    case configuration
    case providers
    case version
    case accept
    case eventLine = "event-line"
    case keyring
    case accountRecord = "account-record"
    case tokenRecord = "token-record"
    case intentRecord = "intent-record"

    /// What does not hold, if anything.
    package func check(_ bytes: [UInt8]) -> String? {
        let check = Check()
        switch self {
        case .tokenAnswer: check.tokenAnswer(bytes)
        case .accessTokenExpiry: check.accessTokenExpiry(bytes)
        case .revocationAnswer: check.revocationAnswer(bytes)
        case .identity: check.identity(bytes)
        case .json: check.json(bytes)
        case .form: check.form(bytes)
        case .retryAfter: check.retryAfter(bytes)
        case .date: check.date(bytes)
        case .scope: check.scope(bytes)
        case .endpointURL: check.endpointURL(bytes)
        case .proxyURL: check.proxyURL(bytes)
        case .certificates: check.certificates(bytes)
        case .challenge: check.challenge(bytes)
        case .discovery: check.discovery(bytes)
        case .authorizationRedirect: check.authorizationRedirect(bytes)
        case .deviceAuthorization: check.deviceAuthorization(bytes)
        case .clientRegistration: check.clientRegistration(bytes)
        case .exportArmor: check.exportArmor(bytes)
        case .accountExport: check.accountExport(bytes)
        case .configuration: check.configuration(bytes)
        case .providers: check.providers(bytes)
        case .version: check.version(bytes)
        case .accept: check.accept(bytes)
        case .eventLine: check.eventLine(bytes)
        case .keyring: check.keyring(bytes)
        case .accountRecord: check.accountRecord(bytes)
        case .tokenRecord: check.tokenRecord(bytes)
        case .intentRecord: check.intentRecord(bytes)
        }
        return check.broken.map { "\(rawValue): \($0)" }
    }
}

/// One run of a parser: keeps the first thing that does not hold.
final class Check {
    private(set) var broken: String?

    func expect(_ holds: Bool, _ what: @autoclosure () -> String) {
        if !holds, broken == nil { broken = what() }
    }

    /// Words of the other side that are shown to a person.
    func expectShowable(_ text: String?, limit: Int) {
        guard let text else { return }
        let count = text.unicodeScalars.count
        expect((1...limit).contains(count), "\(count) characters are shown")
        let isPlain = text.unicodeScalars.allSatisfy {
            $0.properties.generalCategory != .control && $0.properties.generalCategory != .format
        }
        expect(isPlain, "a control character is shown")
        let run = text.split { !Self.isOfToken($0) }.first(where: Self.looksLikeToken)
        expect(run == nil, "a token is shown")
    }

    private static func isOfToken(_ character: Character) -> Bool {
        character.isASCII && (character.isLetter || character.isNumber || "-_".contains(character))
    }

    /// 24 letters and digits or more, but no UUID: those are for people who ask their provider.
    private static func looksLikeToken(_ run: Substring) -> Bool {
        run.count >= 24 && run.contains(where: \.isNumber) && run.contains(where: \.isLetter)
            && !run.contains("-")
    }
}
