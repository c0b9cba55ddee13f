internal import VaultAgentClient

/// What is said of who somebody signs in at, before the browser opens.
enum SignInServerWords {
    /// Names the provider, and the endpoints that are sealed with the account this time: whoever sees
    /// a host that is not theirs can stop here.
    static func show(_ server: SignInServerDocument?, _ terminal: Terminal) {
        guard let server else { return }
        if let provider = server.provider, let file = server.file {
            show(provider, of: file, terminal)
        }
        guard !server.newEndpoints.isEmpty else { return }
        terminal.words("the account is bound to these endpoints:")
        for (name, address) in server.newEndpoints.sorted(by: { $0.key < $1.key }) {
            terminal.words("  \(name) \(address)")
        }
    }

    /// Names the file of the person's own that says what a provider is.
    static func show(_ provider: String, of file: String, _ terminal: Terminal) {
        terminal.words("provider \(provider) is your own: \(file)")
    }
}
