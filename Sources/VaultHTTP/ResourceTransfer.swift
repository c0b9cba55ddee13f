internal import CCurl
internal import OAuth
internal import Platform
internal import VaultAccess

/// A request to a resource server on its way, on the transport's thread.
final class ResourceTransfer: CurlTransfer {
    let exchange: ResourceExchange
    /// When the loop is to check on it, in seconds since boot.
    private(set) var nextCheck: Double
    private(set) var isBegun = false
    private var header = HeaderCollector()
    private var hasAnswered = false
    /// Whether the answer says that it ends with the connection.
    private var closesConnection = false
    /// Bytes of the answer's body.
    private var count = 0
    private var beginnings = 0
    private var isSendPaused = false
    private var isReceivePaused = false

    /// Seconds between looks at an answer that came before all of the body was sent.
    private static let earlyAnswerCheck = 0.02

    init?(_ exchange: ResourceExchange) {
        self.exchange = exchange
        nextCheck = exchange.start + exchange.request.deadline
        super.init(headers: exchange.request.headers)
    }

    /// Sets the handle up, once there is something of the body to send; a failure or nothing.
    func begin(_ settings: CurlSettings) -> CURLcode? {
        isBegun = true
        let request = exchange.request
        return configure(request.url, deadline: request.deadline, settings: settings)
            ?? handle.set(CURLOPT_BUFFERSIZE, 64 << 10)
            ?? setMethod(request.method, framing)
    }

    /// How the body's end is said, once it is known whether there is anything in it.
    private var framing: BodyFraming {
        if case .chunks = exchange.framing, exchange.upload.isFinished { return .length(0) }
        return exchange.framing
    }

    private func setMethod(_ method: ResourceRequest.Method, _ framing: BodyFraming) -> CURLcode? {
        switch framing {
        case .none where method == .head:
            handle.set(CURLOPT_NOBODY, 1)
        case .none where method == .get:
            handle.set(CURLOPT_HTTPGET, 1)
        case .none:
            handle.set(CURLOPT_HTTPGET, 1) ?? handle.set(CURLOPT_CUSTOMREQUEST, method.rawValue)
                ?? handle.set(CURLOPT_FRESH_CONNECT, 1)
        case .length, .chunks:
            // Not CURLOPT_POST, which adds a Content-Type of its own.
            handle.set(CURLOPT_UPLOAD, 1) ?? handle.set(CURLOPT_CUSTOMREQUEST, method.rawValue)
                ?? handle.set(CURLOPT_INFILESIZE_LARGE, size: framing.size)
                ?? handle.set(CURLOPT_FRESH_CONNECT, framing.size == 0 ? 1 : 0)
        }
    }

    // MARK: - What libcurl asks and tells

    /// A connection that dies under a request has libcurl begin anew, which only a GET or HEAD may.
    override func mayBegin() -> Bool {
        beginnings += 1
        guard beginnings > 1 else { return true }
        guard case .none = exchange.framing else { return false }
        return [.get, .head].contains(exchange.request.method)
    }

    override func giveBody(into space: UnsafeMutableRawBufferPointer) -> Int {
        switch exchange.upload.read(into: space) {
        case .bytes(let count): return count
        case .end: return 0
        case .nothingYet:
            isSendPaused = true
            return Int(CURL_READFUNC_PAUSE)
        }
    }

    override func takeBody(_ bytes: UnsafeRawBufferPointer) -> Int {
        nextCheck = 0
        switch exchange.receive(bytes) {
        case .taken:
            count += bytes.count
            return bytes.count
        case .unwanted: return -1
        case .full:
            isReceivePaused = true
            return Int(CURL_WRITEFUNC_PAUSE)
        }
    }

    override func takeHeader(_ line: UnsafeRawBufferPointer) -> Bool {
        guard header.receive(line) else { return false }
        guard header.isComplete, !hasAnswered else { return true }
        let status = handle.get(CURLINFO_RESPONSE_CODE)
        // RFC 9110 §15.2: another answer follows a 1xx, except where the protocol was switched.
        if status >= 200 || status == 101 { answered(status) }
        return true
    }

    private func answered(_ status: Int) {
        hasAnswered = true
        nextCheck = 0
        closesConnection = header.closesConnection
        // RFC 9112 §9.5: who is refused need not go on sending.
        if status >= 300, !exchange.upload.isFinished { exchange.upload.stop() }
        exchange.answered(AnswerHead(status: status, headers: header.fields))
    }

    // MARK: - What the loop tells

    /// Takes up what was held back, where the other side has moved.
    func resume() -> CURLcode {
        let holdsSending = isSendPaused && !exchange.upload.isReady && !isIdleUpload
        let holdsReceiving = isReceivePaused && exchange.isFull
        guard holdsSending != isSendPaused || holdsReceiving != isReceivePaused else {
            return CURLE_OK
        }
        // First: libcurl asks and tells on the spot, and these may change again.
        (isSendPaused, isReceivePaused) = (holdsSending, holdsReceiving)
        let action =
            (holdsSending ? CURLPAUSE_SEND : 0) | (holdsReceiving ? CURLPAUSE_RECV : 0)
        return curl_easy_pause(handle.pointer, action)
    }

    /// Tells the tasks what has come, all of one round at once; whether the time has run out.
    ///
    /// Ends the exchange where libcurl would go on sending after a whole answer.
    func isLate(at now: Double) -> Bool {
        guard hasAnswered else { return true }
        if isWhole, exchange.upload.isCutShort {
            exchange.end(.complete)
            return false
        }
        if nextCheck == 0 { exchange.tellTasks() }
        let due = (exchange.waitingSince ?? now) + exchange.request.idleLimit
        nextCheck = isIdleUpload ? min(due, now + Self.earlyAnswerCheck) : due
        return due <= now
    }

    /// Whether an upload is held that an early answer may have made idle: libcurl would not see the
    /// end of that answer, so the upload is let go at each look.
    private var isIdleUpload: Bool {
        isSendPaused && (exchange.upload.isStopped || closesConnection)
    }

    /// Whether all of an answer has come whose length is known; that of a 204 is 0.
    private var isWhole: Bool {
        hasAnswered && handle.get(size: CURLINFO_CONTENT_LENGTH_DOWNLOAD_T) == count
    }

    // MARK: - The end

    override func finish(_ code: CURLcode) {
        exchange.end(ending(code))
    }

    func fail(_ reason: HTTPTransportError.Reason) {
        exchange.end(.failed(error(reason)))
    }

    private func ending(_ code: CURLcode) -> AnswerState.Ending {
        // A whole answer stays one when the connection dies over the rest of an unwanted body.
        guard code == CURLE_OK || isWhole else {
            return .failed(error(header.isTooLarge ? .answerTooLarge : reason(code)))
        }
        // libcurl takes a connection that ends within the header for the end of the answer.
        return hasAnswered ? .complete : .failed(error(.connectionLost))
    }

    private func error(_ reason: HTTPTransportError.Reason) -> HTTPTransportError {
        let isSent = exchange.upload.isStarted || hasSentBytes
        return isSent || hasAnswered || beginnings > 1 ? .ambiguous(reason) : .notSent(reason)
    }
}
