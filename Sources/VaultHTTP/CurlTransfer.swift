internal import CCurl
internal import OAuth

/// One request on its way: the easy handle, and what libcurl asks and tells while it is.
class CurlTransfer {
    let handle: EasyHandle
    private let headers: HeaderList
    private let route: CurlRoute

    init?(headers: [HTTPHeader], route: CurlRoute = .usual) {
        guard let handle = EasyHandle() else { return nil }
        self.handle = handle
        self.headers = HeaderList(headers)
        self.route = route
    }

    /// Sets what every request has; returns a failure or nothing.
    final func configure(
        _ url: EndpointURL,
        deadline: Double,
        settings: CurlSettings
    ) -> CURLcode? {
        handle.configure(
            url,
            headers: headers,
            deadline: deadline,
            settings: settings,
            route: route
        ) ?? setCallbacks()
    }

    /// Whether any byte may have reached the server; what asks a proxy for a tunnel does not.
    final var hasSentBytes: Bool { handle.get(CURLINFO_REQUEST_SIZE) > 0 && !isTunnelMissing }

    /// Whether a proxy has not, or not yet, made its way to the server.
    private var isTunnelMissing: Bool {
        route.proxy?.isTunnelling == true
            && !(200..<300).contains(handle.get(CURLINFO_HTTP_CONNECTCODE))
    }

    /// What a failed transfer came to.
    final func reason(_ code: CURLcode) -> HTTPTransportError.Reason {
        let reason = code.reason(certificate: handle.get(CURLINFO_SSL_VERIFYRESULT))
        guard let proxy = route.proxy else { return reason }
        switch reason {
        case .connectionFailed: return .proxyFailed
        case .connectionLost, .tlsFailed, .certificateUntrusted, .certificateExpired,
            .certificateOfAnotherHost:
            return proxy.isTunnelling && isTunnelMissing ? .proxyFailed : reason
        default: return reason
        }
    }

    // MARK: - What the kinds of transfers do

    /// Whether the request may be written to a connection, at first or once more.
    func mayBegin() -> Bool { true }

    /// The number of bytes given, or one of libcurl's words (CURLOPT_READFUNCTION(3)).
    func giveBody(into space: UnsafeMutableRawBufferPointer) -> Int { Int(CURL_READFUNC_ABORT) }

    /// The number of bytes taken, or one of libcurl's words (CURLOPT_WRITEFUNCTION(3)).
    func takeBody(_ bytes: UnsafeRawBufferPointer) -> Int { -1 }

    func takeHeader(_ line: UnsafeRawBufferPointer) -> Bool { false }

    /// To be called once, after the handle has left the multi handle.
    func finish(_ code: CURLcode) {}

    // MARK: - libcurl's callbacks

    private func setCallbacks() -> CURLcode? {
        let context = Unmanaged.passUnretained(self).toOpaque()
        return set(CURLOPT_WRITEFUNCTION, takeBytes, CURLOPT_WRITEDATA, context)
            ?? set(CURLOPT_HEADERFUNCTION, takeLine, CURLOPT_HEADERDATA, context)
            ?? set(CURLOPT_READFUNCTION, giveBytes, CURLOPT_READDATA, context)
            ?? handle.failure(vault_curl_set_prerequest(handle.pointer, begin, context))
    }

    private func set(
        _ option: CURLoption,
        _ callback: Callback,
        _ contextOption: CURLoption,
        _ context: UnsafeMutableRawPointer
    ) -> CURLcode? {
        handle.failure(
            vault_curl_set_callback(handle.pointer, option, callback, contextOption, context)
        )
    }
}

extension ProxyURL {
    /// Whether it is asked for a tunnel (RFC 9110 §9.3.6), and says what became of it.
    fileprivate var isTunnelling: Bool { text.hasPrefix("http") }
}

// C calls these; each finds its transfer in the context pointer. A short count stops the transfer.

private func transfer(_ context: UnsafeMutableRawPointer?) -> CurlTransfer? {
    context.map { Unmanaged<CurlTransfer>.fromOpaque($0).takeUnretainedValue() }
}

private typealias Callback =
    @convention(c) (UnsafeMutablePointer<CChar>?, Int, Int, UnsafeMutableRawPointer?) -> Int

private let giveBytes: Callback = { bytes, size, count, context in
    let space = UnsafeMutableRawBufferPointer(start: bytes, count: size * count)
    return transfer(context)?.giveBody(into: space) ?? Int(CURL_READFUNC_ABORT)
}

private let takeBytes: Callback = { bytes, size, count, context in
    let piece = UnsafeRawBufferPointer(start: bytes, count: size * count)
    return transfer(context)?.takeBody(piece) ?? -1
}

private let takeLine: Callback = { bytes, size, count, context in
    let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
    return transfer(context)?.takeHeader(line) == true ? line.count : -1
}

private let begin: curl_prereq_callback = { context, _, _, _, _ in
    transfer(context)?.mayBegin() == true ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
}
