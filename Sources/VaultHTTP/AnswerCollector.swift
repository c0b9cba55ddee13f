internal import OAuth
internal import VaultCrypto

/// Puts an answer together from the pieces that arrive, within its limits.
struct AnswerCollector {
    private let limit: Int
    private var header = HeaderCollector()
    private var body = WipedBytes()
    private var isBodyTooLarge = false

    init(limit: Int) {
        self.limit = limit
    }

    var isHeaderComplete: Bool { header.isComplete }
    var isTooLarge: Bool { header.isTooLarge || isBodyTooLarge }

    mutating func receiveBody(_ bytes: UnsafeRawBufferPointer) -> Bool {
        isBodyTooLarge = body.count + bytes.count > limit
        if !isBodyTooLarge { body.append(bytes) }
        return !isBodyTooLarge
    }

    mutating func receiveHeader(_ line: UnsafeRawBufferPointer) -> Bool {
        header.receive(line)
    }

    /// The answer, once it is complete.
    func response(status: Int) -> HTTPResponse {
        HTTPResponse(status: status, headers: header.fields, body: body.secret())
    }
}
