internal import OAuth
internal import VaultKit

/// The words for what goes wrong with an account's way to its server.
extension VaultErrorWords {
    /// A file or an address that is not what it has to be.
    static func networkSetting(_ path: String, _ facts: Facts) -> Words? {
        switch (facts[.field], facts[.reason]) {
        case ("ca_file", "private_key"):
            (
                "\(path) has a private key in it, which nobody else is trusted by",
                "--ca-file wants the certificate of the authority alone"
            )
        case ("ca_file", "too_large"): ("\(path) has more certificates than an account keeps", nil)
        case ("ca_file", .some), ("client_certificate", "not_pem"):
            ("\(path) has no certificate in it", "a PEM file is wanted")
        case ("client_key", "not_pem"):
            ("\(path) has no private key in it", "a PEM file is wanted")
        default: nil
        }
    }

    /// Why a server was not reached, in words for a person; nil for a reason that has none.
    static func transport(_ reason: String?) -> Words? {
        switch reason.flatMap({ HTTPTransportError.Reason(rawValue: $0) }) {
        case .certificateUntrusted:
            (
                "nobody who is trusted signed its certificate",
                "vault login NAME --ca-file PATH trusts an authority of your own"
            )
        case .certificateOfAnotherHost: ("its certificate is of another host", nil)
        case .certificateExpired: ("its certificate is not valid now", "check the clock here")
        case .authoritiesUnusable:
            ("the certificates to trust are none", "vault login NAME --ca-file PATH names others")
        case .clientCertificateUnusable:
            (
                "the client's certificate or key cannot be used",
                "both have to be PEM, and the key readable for you alone"
            )
        case .proxyFailed:
            (
                "the proxy does not answer, or refuses",
                "vault login NAME --proxy URL names another, or none"
            )
        case .nameNotResolved: ("there is no such host", nil)
        default: nil
        }
    }
}
