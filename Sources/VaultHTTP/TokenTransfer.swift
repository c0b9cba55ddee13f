internal import CCurl
internal import OAuth
internal import VaultCrypto

/// A request to an authorization server on its way: what goes out and what has come in.
final class TokenTransfer: CurlTransfer {
    private let continuation: CheckedContinuation<CurlResult, Never>
    private var upload: Upload?
    private var answer: AnswerCollector

    init?(
        _ request: HTTPRequest,
        _ route: CurlRoute,
        settings: CurlSettings,
        then continuation: CheckedContinuation<CurlResult, Never>
    ) {
        self.continuation = continuation
        upload = request.method == .post ? Upload(request.body) : nil
        answer = AnswerCollector(limit: request.maximumBodyBytes)
        super.init(headers: request.headers, route: route)
        guard configure(request, settings) == nil else { return nil }
    }

    private func configure(_ request: HTTPRequest, _ settings: CurlSettings) -> CURLcode? {
        configure(request.url, deadline: request.deadline, settings: settings)
            ?? handle.set(CURLOPT_TIMEOUT_MS, milliseconds: request.deadline)
            ?? handle.set(CURLOPT_MAXFILESIZE_LARGE, size: request.maximumBodyBytes)
            ?? setUpload()
    }

    private func setUpload() -> CURLcode? {
        guard let upload else { return handle.set(CURLOPT_HTTPGET, 1) }
        return handle.set(CURLOPT_POST, 1)
            ?? handle.set(CURLOPT_POSTFIELDSIZE_LARGE, size: upload.count)
            // A kept connection may be one that a server, a resource server on the same origin too,
            // has just closed: no grant is spent on finding out, so it has one to itself.
            ?? handle.set(CURLOPT_FRESH_CONNECT, 1)
            ?? handle.set(CURLOPT_FORBID_REUSE, 1)
    }

    // MARK: - What libcurl asks and tells

    override func giveBody(into space: UnsafeMutableRawBufferPointer) -> Int {
        upload?.read(into: space) ?? Int(CURL_READFUNC_ABORT)
    }

    override func takeBody(_ bytes: UnsafeRawBufferPointer) -> Int {
        answer.receiveBody(bytes) ? bytes.count : -1
    }

    override func takeHeader(_ line: UnsafeRawBufferPointer) -> Bool {
        answer.receiveHeader(line)
    }

    // MARK: - The end

    /// Resumes whoever waits.
    override func finish(_ code: CURLcode) {
        continuation.resume(returning: result(code))
    }

    private func result(_ code: CURLcode) -> CurlResult {
        guard code == CURLE_OK else {
            return .failure(error(answer.isTooLarge ? .answerTooLarge : reason(code)))
        }
        // libcurl takes a connection that ends within the header for the end of the answer.
        guard answer.isHeaderComplete else { return .failure(error(.connectionLost)) }
        return .success(answer.response(status: handle.get(CURLINFO_RESPONSE_CODE)))
    }

    private func error(_ reason: HTTPTransportError.Reason) -> HTTPTransportError {
        let isSent = upload.map { $0.isEmpty ? hasSentBytes : $0.isStarted } ?? hasSentBytes
        return isSent ? .ambiguous(reason) : .notSent(reason)
    }
}
