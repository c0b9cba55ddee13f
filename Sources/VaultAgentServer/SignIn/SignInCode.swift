internal import OAuth
internal import VaultStore

/// How a sign-in's code comes from the browser.
extension SignInRequest {
    /// Whether the code is bound to this sign-in by a proof key.
    ///
    /// A client without a secret has nothing else; its provider has to take one.
    var takesProofKey: Bool {
        clientSecret == nil || server.provider?.entry.signIn.takesProofKey ?? true
    }

    /// Whether the code alone may be pasted: its provider's page shows it, and the proof key binds it
    /// to this sign-in.
    var takesCode: Bool {
        takesProofKey && server.provider?.entry.signIn.displaysCode ?? false
    }

    /// The provider's page that shows the code, where clients are registered with that; one that is
    /// registered with an address of its own says so.
    var codePage: String? {
        redirectURI == nil && takesCode ? server.provider?.entry.signIn.redirectURI : nil
    }
}
