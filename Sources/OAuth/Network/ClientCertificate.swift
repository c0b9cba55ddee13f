/// The files of a client's certificate and its private key, in PEM (RFC 8705).
///
/// An account keeps their places and reads them for every request: they are renewed in place by what
/// issues them, and the key is to have no copy. A key that others may read is not used.
public struct ClientCertificate: Sendable, Hashable {
    /// The absolute path of the certificate, and of those between it and its authority.
    public let certificatePath: String
    /// The absolute path of the private key, which may be in the same file.
    public let keyPath: String

    /// The two files by their absolute paths; nil for a path that is not.
    public init?(certificatePath: String, keyPath: String) {
        guard [certificatePath, keyPath].allSatisfy(Self.isAbsolute) else { return nil }
        self.certificatePath = certificatePath
        self.keyPath = keyPath
    }

    private static func isAbsolute(_ path: String) -> Bool {
        path.hasPrefix("/") && !path.utf8.contains(0) && path.utf8.count < 4096
            && !path.split(separator: "/").contains { $0 == ".." || $0 == "." }
    }
}
