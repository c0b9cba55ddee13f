internal import CCurl
internal import Glibc
internal import OAuth
internal import Platform
internal import VaultAccess
internal import VaultCrypto

/// How one request gets to its server: the options of its account, the files that they name read.
struct CurlRoute: Sendable {
    /// A connection without options of its own.
    static let usual = CurlRoute()

    let proxy: ProxyURL?
    private let authorities: CertificateAuthorities?
    private let certificate: Secret?
    private let key: Secret?

    /// More is no certificate, and no key.
    private static let largestFile = 256 << 10

    private init() {
        (proxy, authorities, certificate, key) = (nil, nil, nil, nil)
    }

    /// The way to an address.
    ///
    /// - Throws: `clientCertificateUnusable` where a file cannot be read, or others may read the key.
    init(to url: EndpointURL, through network: NetworkOptions) throws(HTTPTransportError) {
        // What listens on this machine is reached directly: a proxy would look for it on its own.
        proxy = url.isLoopback ? nil : network.proxy
        authorities = network.certificateAuthorities
        guard let files = network.clientCertificate else {
            (certificate, key) = (nil, nil)
            return
        }
        do {
            certificate = try Self.read(files.certificatePath) { _ in }
            key = try Self.read(files.keyPath) { try FilePermissions.checkFile(files.keyPath, $0) }
        } catch {
            throw .notSent(.clientCertificateUnusable)
        }
    }

    private static func read(_ path: String, check: (FileStatus) throws -> Void) throws -> Secret {
        let file = try OpenFile(reading: path, followingLinks: true)
        try check(file.status)
        var bytes = try file.read(limit: largestFile)
        return Secret(wiping: &bytes)
    }

    /// Sets a handle up for it; returns a failure or nothing.
    func configure(_ handle: EasyHandle) -> CURLcode? {
        // An empty proxy is none, and no host is left out of one: whatever the environment says.
        handle.set(CURLOPT_PROXY, proxy?.text ?? "") ?? handle.set(CURLOPT_NOPROXY, "")
            ?? (isUsual ? nil : keepApart(handle) ?? configureTLS(handle))
    }

    private var isUsual: Bool { proxy == nil && authorities == nil && certificate == nil }

    /// A connection that was made with other options is another connection: none is shared, and no TLS
    /// session is taken up again.
    private func keepApart(_ handle: EasyHandle) -> CURLcode? {
        handle.set(CURLOPT_FRESH_CONNECT, 1) ?? handle.set(CURLOPT_FORBID_REUSE, 1)
            ?? handle.set(CURLOPT_SSL_SESSIONID_CACHE, 0)
            // The proxy's own answers are no part of the server's, and the request's fields, a
            // credential among them, are nothing for the proxy.
            ?? handle.set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
            ?? handle.set(CURLOPT_HEADEROPT, Int(CURLHEADER_SEPARATE))
    }

    private func configureTLS(_ handle: EasyHandle) -> CURLcode? {
        if let authorities {
            let pem = Secret(authorities.pem)
            let failure =
                handle.set(CURLOPT_CAINFO_BLOB, lending: pem)
                ?? handle.set(CURLOPT_PROXY_CAINFO_BLOB, lending: pem)
                // libcurl would add the system's folder to them.
                ?? handle.clear(CURLOPT_CAPATH) ?? handle.clear(CURLOPT_PROXY_CAPATH)
            if let failure { return failure }
        }
        guard let certificate, let key else { return nil }
        return handle.set(CURLOPT_SSLCERT_BLOB, lending: certificate)
            ?? handle.set(CURLOPT_SSLKEY_BLOB, lending: key)
            // Without a word OpenSSL would ask for that of an encrypted key on the terminal.
            ?? handle.set(CURLOPT_KEYPASSWD, "")
    }
}

/// Bytes that libcurl reads while a transfer lasts, wiped at its end.
final class LentBlob {
    let bytes: UnsafeMutableRawBufferPointer

    init(_ secret: Secret) {
        bytes = secret.withBytes { source in
            let bytes = UnsafeMutableRawBufferPointer.allocate(
                byteCount: max(source.count, 1),
                alignment: 1
            )
            for index in source.indices { bytes[index] = source[index] }
            return UnsafeMutableRawBufferPointer(rebasing: bytes[..<source.count])
        }
    }

    deinit {
        if let start = bytes.baseAddress { explicit_bzero(start, bytes.count) }
        bytes.deallocate()
    }
}
