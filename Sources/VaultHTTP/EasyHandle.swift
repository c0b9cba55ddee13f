internal import CCurl
internal import OAuth
internal import VaultCrypto

/// One of libcurl's easy handles, and the one way to set it up.
final class EasyHandle {
    let pointer: UnsafeMutableRawPointer
    /// What libcurl reads until the handle is gone.
    private var blobs: [LentBlob] = []

    /// Seconds to a connection, TLS included.
    private static let connectDeadline = 10.0
    /// Seconds after which a kept connection is not used again: servers and middleboxes drop idle
    /// ones, and a POST that meets a dead one is an unknown outcome.
    private static let keptConnectionAge = 5

    init?() {
        guard let pointer = curl_easy_init() else { return nil }
        self.pointer = pointer
    }

    deinit {
        curl_easy_cleanup(pointer)
    }

    /// Sets what every request has; each of these returns a failure or nothing.
    func configure(
        _ url: EndpointURL,
        headers: HeaderList,
        deadline: Double,
        settings: CurlSettings,
        route: CurlRoute
    ) -> CURLcode? {
        setWhatNeverVaries()
            ?? set(CURLOPT_URL, url.string)
            ?? set(CURLOPT_USERAGENT, settings.userAgent)
            ?? settings.caFile.flatMap { set(CURLOPT_CAINFO, $0) ?? clear(CURLOPT_CAPATH) }
            ?? route.configure(self)
            ?? set(CURLOPT_CONNECTTIMEOUT_MS, milliseconds: min(deadline, Self.connectDeadline))
            ?? failure(vault_curl_set_list(pointer, CURLOPT_HTTPHEADER, headers.first))
    }

    private func setWhatNeverVaries() -> CURLcode? {
        set(CURLOPT_PROTOCOLS_STR, "http,https")
            ?? set(Self.switches)
    }

    private static let switches = [
        (CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1)),
        (CURLOPT_NOSIGNAL, 1),
        // A request given up while its host is looked up does not wait for that look-up.
        (CURLOPT_QUICK_EXIT, 1),
        (CURLOPT_FOLLOWLOCATION, 0),
        // A path goes out as it was given: who wrote `..` into it may have had it signed.
        (CURLOPT_PATH_AS_IS, 1),
        (CURLOPT_NETRC, 0),
        (CURLOPT_DISALLOW_USERNAME_IN_URL, 1),
        (CURLOPT_SSL_VERIFYPEER, 1),
        (CURLOPT_SSL_VERIFYHOST, 2),
        (CURLOPT_MAXAGE_CONN, keptConnectionAge),
    ]

    private func set(_ switches: [(CURLoption, Int)]) -> CURLcode? {
        for (option, value) in switches {
            if let failure = set(option, value) { return failure }
        }
        return nil
    }

    func set(_ option: CURLoption, _ value: Int) -> CURLcode? {
        failure(vault_curl_set_long(pointer, option, value))
    }

    func set(_ option: CURLoption, size: Int) -> CURLcode? {
        failure(vault_curl_set_size(pointer, option, Int64(size)))
    }

    func set(_ option: CURLoption, milliseconds seconds: Double) -> CURLcode? {
        set(option, max(1, Int((min(seconds, 86400) * 1000).rounded(.up))))
    }

    func set(_ option: CURLoption, _ value: String) -> CURLcode? {
        failure(vault_curl_set_string(pointer, option, value))
    }

    /// Takes back what libcurl has for a string of its own.
    func clear(_ option: CURLoption) -> CURLcode? {
        failure(vault_curl_set_string(pointer, option, nil))
    }

    func set(_ option: CURLoption, lending secret: Secret) -> CURLcode? {
        let blob = LentBlob(secret)
        blobs.append(blob)
        return failure(
            vault_curl_lend_blob(pointer, option, blob.bytes.baseAddress, blob.bytes.count)
        )
    }

    func get(_ info: CURLINFO) -> Int {
        vault_curl_get_long(pointer, info)
    }

    func get(size info: CURLINFO) -> Int {
        Int(vault_curl_get_size(pointer, info))
    }

    func failure(_ code: CURLcode) -> CURLcode? {
        code == CURLE_OK ? nil : code
    }
}
