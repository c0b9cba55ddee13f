/// Who a person signs in at, as far as that is worth showing.
package struct SignInServerDocument: Codable, Sendable {
    /// The provider that was named.
    package let provider: String?
    /// The file of the person's own that says what the provider is.
    package let file: String?
    /// The endpoints that are not sealed with the account yet, by their names in discovery documents.
    package let newEndpoints: [String: String]

    package init(provider: String?, file: String?, newEndpoints: [String: String]) {
        self.provider = provider
        self.file = file
        self.newEndpoints = newEndpoints
    }
}
