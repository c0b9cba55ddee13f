internal import CMicroHTTPD
internal import Platform

/// The body of one streamed response, on the server's thread alone.
///
/// The library asks for bytes when the socket takes some. Where there are none the connection is
/// suspended until the next piece comes as a message.
final class StreamSource {
    let number: UInt64
    private let connection: OpaquePointer
    private let stream: HTTPServerStream
    private let mailbox: Mailbox<ServerMessage>
    private let willWait: () -> Void
    private var piece: [UInt8] = []
    private var taken = 0
    /// Asks for the next piece while the connection is suspended.
    private var asking: Task<Void, Never>?
    /// No piece is asked for any more.
    private var isLast = false
    private var isBroken = false

    /// `willWait` is told before each wait for a piece.
    init(
        _ stream: HTTPServerStream,
        number: UInt64,
        on connection: OpaquePointer,
        mailbox: Mailbox<ServerMessage>,
        willWait: @escaping () -> Void
    ) {
        self.stream = stream
        self.number = number
        self.connection = connection
        self.mailbox = mailbox
        self.willWait = willWait
    }

    var status: Int { stream.status }
    var headers: [(name: String, value: String)] { stream.headers }

    /// Bytes for the client, as many as there are room for; 0 when the connection is suspended
    /// (MHD_ContentReaderCallback).
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        if isBroken { return -2 }
        if taken == piece.count {
            if isLast { return -1 }
            ask()
            return 0
        }
        let count = min(buffer.count, piece.count - taken)
        piece.withUnsafeBytes { bytes in
            buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[taken..<taken + count]))
        }
        taken += count
        return count
    }

    private func ask() {
        willWait()
        MHD_suspend_connection(connection)
        // Awaited by nobody: its piece comes as a message, and every end cancels it.
        asking = Task { [stream, mailbox, number] in
            let piece = await stream.next()
            mailbox.post(.piece(piece, request: number))
        }
    }

    /// Takes the piece that was asked for; nil is the end.
    func take(_ next: [UInt8]?) {
        asking = nil
        piece = next ?? []
        taken = 0
        if next == nil { isLast = true }
    }

    /// Ends it with the piece that is on its way.
    func end() {
        isLast = true
        asking?.cancel()
    }

    /// Ends it at once, in the middle of whatever was being sent.
    func abandon() {
        end()
        isBroken = true
    }
}
