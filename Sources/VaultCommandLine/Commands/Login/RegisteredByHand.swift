internal import OAuth
internal import Platform
internal import VaultKit

/// A client that somebody registered because the server registers none by itself.
struct RegisteredByHand {
    let clientID: String
    /// What it was registered with; nil where it needs none.
    let redirectURI: String?

    /// Says what is to be registered, and asks for the client that came of it.
    ///
    /// - Throws: ``UsageError`` where there is no terminal, or no answer.
    static func ask(_ error: VaultError, _ terminal: Terminal) throws -> RegisteredByHand {
        let host = error.facts[.host] ?? "the authorization server"
        if error.facts[.status] == nil {
            terminal.words("\(host) has no client for the vault, and registers none by itself")
        } else {
            let words = [error.facts[.error], error.facts[.errorDescription]].compactMap { $0 }
            let told = words.isEmpty ? "" : " (\(words.joined(separator: ": ")))"
            terminal.words("\(host) does not let the vault register itself\(told)")
        }
        let place = error.facts[.console].map { "at \($0)" } ?? "there"
        if let redirectURI = error.facts[.wanted] {
            terminal.words("register a native application \(place), with this redirect address:")
            terminal.words(redirectURI)
        } else {
            terminal.words("register a native application \(place) that may use the device flow")
        }
        // The provider's own page is known already.
        let redirectURI = error.facts[.wanted].flatMap { text in
            EndpointURL(unchecked: text).isLoopback ? text : nil
        }
        let options = redirectURI.map { "--client-id ID --redirect-uri \($0)" } ?? "--client-id ID"
        guard let answer = try TerminalQuestion.ask("Client ID: "), !answer.isEmpty else {
            throw UsageError.missing(options)
        }
        return RegisteredByHand(clientID: answer, redirectURI: redirectURI)
    }
}
