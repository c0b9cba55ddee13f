/// How an account's requests are to reach its authorization server; what is left out is as before,
/// or as `config.json` has it.
package struct NetworkDocument: Codable, Sendable {
    /// In the place of a value: none, whatever was before.
    package static let none = "none"

    package let proxy: String?
    /// PEM of the certificates to trust instead of the system's.
    package let certificateAuthorities: String?
    /// The absolute path of the client's certificate.
    package let clientCertificate: String?
    /// The absolute path of its key; left out where that is in the same file.
    package let clientKey: String?

    package init(
        proxy: String? = nil,
        certificateAuthorities: String? = nil,
        clientCertificate: String? = nil,
        clientKey: String? = nil
    ) {
        self.proxy = proxy
        self.certificateAuthorities = certificateAuthorities
        self.clientCertificate = clientCertificate
        self.clientKey = clientKey
    }
}
