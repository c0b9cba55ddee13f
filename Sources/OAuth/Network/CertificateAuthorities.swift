/// The certificates that a server's has to be signed by, in place of those that the system trusts.
///
/// An account keeps the certificates themselves, not the place of a file: whom it trusts changes only
/// when somebody says so, and it can move to another machine.
public struct CertificateAuthorities: Sendable, Hashable {
    /// The certificates as PEM (RFC 7468), without what stood around them.
    public let pem: String

    /// The most bytes that an account keeps.
    public static let limit = 128 << 10

    private static let begin = "-----BEGIN CERTIFICATE-----"
    private static let end = "-----END CERTIFICATE-----"

    /// The certificates of a PEM text; text around them is left out.
    ///
    /// - Throws: ``CertificateError``, which says what is wrong with the text.
    public init(pem text: String) throws(CertificateError) {
        guard !text.contains("PRIVATE KEY-----") else { throw .privateKey }
        var certificates = ""
        var rest = text[...]
        while let start = rest.firstRange(of: Self.begin) {
            guard let stop = rest[start.upperBound...].firstRange(of: Self.end) else {
                throw .malformed
            }
            let body = rest[start.upperBound..<stop.lowerBound]
            guard Self.isBase64(body) else { throw .malformed }
            // By its scalars: a carriage return and a line feed are one character.
            let lines = body.unicodeScalars.filter { $0 != "\r" }
            certificates += Self.begin + String(String.UnicodeScalarView(lines)) + Self.end + "\n"
            rest = rest[stop.upperBound...]
        }
        guard !certificates.isEmpty else { throw .noCertificate }
        guard certificates.utf8.count <= Self.limit else { throw .tooLarge }
        pem = certificates
    }

    /// Certificates that were checked before; nothing is checked again.
    package init(unchecked pem: String) {
        self.pem = pem
    }

    private static func isBase64(_ text: Substring) -> Bool {
        let digits = text.utf8.filter { ![0x0a, 0x0d, 0x20, 0x09].contains($0) }
        return digits.count > 3 && digits.count % 4 == 0
            && digits.allSatisfy { $0.isLetter || $0.isDigit || "+/=".utf8.contains($0) }
    }
}

/// What keeps a text from being certificates to trust.
public enum CertificateError: Error, Sendable, Hashable {
    /// No certificate is in it.
    case noCertificate
    /// A certificate in it is cut off or is no base64.
    case malformed
    /// A private key is in it, which is not what others are trusted by.
    case privateKey
    /// The certificates have more than ``CertificateAuthorities/limit`` bytes.
    case tooLarge
}
