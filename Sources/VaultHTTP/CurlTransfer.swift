internal import CCurl
internal import OAuth
internal import VaultCrypto

/// One request on its way: the easy handle, what goes out and what has come in.
final class CurlTransfer {
    let easy: UnsafeMutableRawPointer
    private let continuation: CheckedContinuation<CurlResult, Never>
    private let headers: HeaderList
    private var upload: Upload?
    private var answer: AnswerCollector

    /// Seconds to a connection, TLS included.
    private static let connectDeadline = 10.0
    /// Seconds after which a kept connection is not used again: servers and middleboxes drop idle
    /// ones, and a POST that meets a dead one is an unknown outcome.
    private static let keptConnectionAge = 5

    init?(
        _ request: HTTPRequest,
        settings: CurlSettings,
        then continuation: CheckedContinuation<CurlResult, Never>
    ) {
        guard let easy = curl_easy_init() else { return nil }
        self.easy = easy
        self.continuation = continuation
        headers = HeaderList(request.headers)
        upload = request.method == .post ? Upload(request.body) : nil
        answer = AnswerCollector(limit: request.maximumBodyBytes)
        guard configure(request, settings) == CURLE_OK else { return nil }
    }

    deinit {
        curl_easy_cleanup(easy)
    }

    /// Resumes whoever waits; to be called once, after the handle has left the multi handle.
    func finish(_ code: CURLcode) {
        continuation.resume(returning: result(code))
    }

    private func result(_ code: CURLcode) -> CurlResult {
        guard code == CURLE_OK else {
            return .failure(error(answer.isTooLarge ? .answerTooLarge : code.reason))
        }
        // libcurl takes a connection that ends within the header for the end of the answer.
        guard answer.isHeaderComplete else { return .failure(error(.connectionLost)) }
        return .success(
            answer.response(status: vault_curl_get_long(easy, CURLINFO_RESPONSE_CODE))
        )
    }

    private func error(_ reason: HTTPTransportError.Reason) -> HTTPTransportError {
        let isSent = upload.map { $0.isEmpty ? hasSentBytes : $0.isStarted } ?? hasSentBytes
        return isSent ? .ambiguous(reason) : .notSent(reason)
    }

    private var hasSentBytes: Bool {
        vault_curl_get_long(easy, CURLINFO_REQUEST_SIZE) > 0
    }

    // MARK: - Set-up

    private func configure(_ request: HTTPRequest, _ settings: CurlSettings) -> CURLcode {
        setWhatNeverVaries()
            ?? set(CURLOPT_URL, request.url.string)
            ?? set(CURLOPT_USERAGENT, settings.userAgent)
            ?? settings.caFile.flatMap { set(CURLOPT_CAINFO, $0) }
            ?? set(CURLOPT_TIMEOUT_MS, milliseconds(request.deadline))
            ?? set(
                CURLOPT_CONNECTTIMEOUT_MS,
                milliseconds(min(request.deadline, Self.connectDeadline))
            )
            ?? set(CURLOPT_MAXFILESIZE_LARGE, size: request.maximumBodyBytes)
            ?? failure(vault_curl_set_list(easy, CURLOPT_HTTPHEADER, headers.first))
            ?? setCallbacks()
            ?? setUpload()
            ?? CURLE_OK
    }

    private func setWhatNeverVaries() -> CURLcode? {
        set(CURLOPT_PROTOCOLS_STR, "http,https")
            ?? set(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1)
            ?? set(CURLOPT_NOSIGNAL, 1)
            ?? set(CURLOPT_FOLLOWLOCATION, 0)
            // An empty proxy is none, whatever the environment says.
            ?? set(CURLOPT_PROXY, "")
            ?? set(CURLOPT_NETRC, 0)
            ?? set(CURLOPT_DISALLOW_USERNAME_IN_URL, 1)
            ?? set(CURLOPT_SSL_VERIFYPEER, 1)
            ?? set(CURLOPT_SSL_VERIFYHOST, 2)
            ?? set(CURLOPT_MAXAGE_CONN, Self.keptConnectionAge)
    }

    private func setCallbacks() -> CURLcode? {
        let context = Unmanaged.passUnretained(self).toOpaque()
        return failure(
            vault_curl_set_callback(
                easy,
                CURLOPT_WRITEFUNCTION,
                takeBody,
                CURLOPT_WRITEDATA,
                context
            )
        )
            ?? failure(
                vault_curl_set_callback(
                    easy,
                    CURLOPT_HEADERFUNCTION,
                    takeHeader,
                    CURLOPT_HEADERDATA,
                    context
                )
            )
            ?? failure(
                vault_curl_set_callback(
                    easy,
                    CURLOPT_READFUNCTION,
                    giveBody,
                    CURLOPT_READDATA,
                    context
                )
            )
    }

    private func setUpload() -> CURLcode? {
        guard let upload else { return set(CURLOPT_HTTPGET, 1) }
        return set(CURLOPT_POST, 1)
            ?? set(CURLOPT_POSTFIELDSIZE_LARGE, size: upload.count)
            // With no body to rewind, libcurl would repeat a POST that met a dead connection.
            ?? set(CURLOPT_FRESH_CONNECT, upload.isEmpty ? 1 : 0)
    }

    private func set(_ option: CURLoption, _ value: Int) -> CURLcode? {
        failure(vault_curl_set_long(easy, option, value))
    }

    private func set(_ option: CURLoption, size: Int) -> CURLcode? {
        failure(vault_curl_set_size(easy, option, Int64(size)))
    }

    private func set(_ option: CURLoption, _ value: String) -> CURLcode? {
        failure(vault_curl_set_string(easy, option, value))
    }

    private func failure(_ code: CURLcode) -> CURLcode? {
        code == CURLE_OK ? nil : code
    }

    private func milliseconds(_ seconds: Double) -> Int {
        max(1, Int((min(seconds, 86400) * 1000).rounded(.up)))
    }

    // MARK: - libcurl's callbacks

    fileprivate func nextBodyBytes(into space: UnsafeMutableRawBufferPointer) -> Int {
        upload?.read(into: space) ?? Int(CURL_READFUNC_ABORT)
    }

    fileprivate func receiveBody(_ bytes: UnsafeRawBufferPointer) -> Bool {
        answer.receiveBody(bytes)
    }

    fileprivate func receiveHeader(_ line: UnsafeRawBufferPointer) -> Bool {
        answer.receiveHeader(line)
    }
}

// C calls these; each finds its transfer in the context pointer. A short count stops the transfer.

private func transfer(_ context: UnsafeMutableRawPointer?) -> CurlTransfer? {
    context.map { Unmanaged<CurlTransfer>.fromOpaque($0).takeUnretainedValue() }
}

private typealias Callback =
    @convention(c) (UnsafeMutablePointer<CChar>?, Int, Int, UnsafeMutableRawPointer?) -> Int

private let giveBody: Callback = { bytes, size, count, context in
    let space = UnsafeMutableRawBufferPointer(start: bytes, count: size * count)
    return transfer(context)?.nextBodyBytes(into: space) ?? Int(CURL_READFUNC_ABORT)
}

private let takeBody: Callback = { bytes, size, count, context in
    let piece = UnsafeRawBufferPointer(start: bytes, count: size * count)
    return transfer(context)?.receiveBody(piece) == true ? piece.count : -1
}

private let takeHeader: Callback = { bytes, size, count, context in
    let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
    return transfer(context)?.receiveHeader(line) == true ? line.count : -1
}
