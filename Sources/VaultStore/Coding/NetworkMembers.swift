internal import OAuth
internal import VaultCrypto

/// The members of an account record that say how its requests get to the server.
enum NetworkMembers {
    static func proxy(_ network: NetworkOptions) -> JSONValue? {
        network.proxy.map { .text($0.text) }
    }

    static func authorities(_ network: NetworkOptions) -> JSONValue? {
        network.certificateAuthorities.map { .text($0.pem) }
    }

    static func certificate(_ network: NetworkOptions) -> JSONValue? {
        network.clientCertificate.map { .texts([$0.certificatePath, $0.keyPath]) }
    }

    /// An option that cannot be read makes the record unusable: a request without it would go another
    /// way than somebody wanted.
    static func read(_ record: SealedJSON) throws(SealingError) -> NetworkOptions {
        NetworkOptions(
            proxy: try record.optional("proxy", Self.proxy),
            // Checked before they were sealed, and too large to be checked at every look.
            certificateAuthorities: try record.optional("certificate_authorities", SealedJSON.text)
                .map { CertificateAuthorities(unchecked: $0) },
            clientCertificate: try record.optional("client_certificate", Self.certificate)
        )
    }

    private static func proxy(_ record: SealedJSON) -> (String) throws(SealingError) -> ProxyURL {
        { (name) throws(SealingError) in
            guard let proxy = try? ProxyURL(try record.text(name)) else { throw SealingError() }
            return proxy
        }
    }

    private static func certificate(
        _ record: SealedJSON
    ) -> (String) throws(SealingError) -> ClientCertificate {
        { (name) throws(SealingError) in
            let paths = try record.texts(name)
            guard paths.count == 2,
                let certificate = ClientCertificate(certificatePath: paths[0], keyPath: paths[1])
            else { throw SealingError() }
            return certificate
        }
    }
}
