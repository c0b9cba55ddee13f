package import Platform

/// An HTTP/1.1 server: complete requests in, whole answers or streams out.
///
/// One thread accepts, parses and writes through libmicrohttpd. A complete request suspends its
/// connection and goes to the handler in a task of its own; the answer comes back to the thread
/// as a message. So the library is only ever called from that thread.
package final class HTTPServer: Sendable {
    package typealias Handler = @Sendable (HTTPServerRequest) async -> HTTPServerAnswer
    package typealias PeerCheck = @Sendable (_ userID: UInt32) -> Bool

    /// The TCP port, 0 on a UNIX socket.
    package let port: UInt16
    private let mailbox: Mailbox<ServerMessage>

    /// Serves a listening socket until `stop()`, or until the last reference goes, and closes it.
    ///
    /// The peer check is asked about every connection to a UNIX socket before a byte of it is
    /// read; when it says no, or the kernel does not know the user, the connection is closed.
    package init(
        on listener: ListeningSocket,
        limits: HTTPServerLimits = HTTPServerLimits(),
        peerCheck: PeerCheck? = nil,
        handler: @escaping Handler
    ) throws(SystemError) {
        port = listener.port
        mailbox = try Mailbox()
        let gate = ConnectionGate(listener: listener, limit: limits.connections, check: peerCheck)
        let loop = try ServerLoop(gate: gate, limits: limits, mailbox: mailbox, handler: handler)
        try DedicatedThread.start { loop.run() }
    }

    deinit {
        mailbox.post(.stop(nil))
    }

    /// Stops accepting, lets requests being handled finish within the limit, and ends the thread.
    ///
    /// Streams end with the piece that is on its way; a client that does not take it is not waited
    /// for.
    package func stop() async {
        await withCheckedContinuation { continuation in
            if !mailbox.post(.stop(continuation)) { continuation.resume() }
        }
    }
}

/// What other threads tell the server's.
enum ServerMessage: Sendable {
    case answer(HTTPServerAnswer, request: UInt64)
    /// Of a stream; nil at its end.
    case piece([UInt8]?, request: UInt64)
    case stop(CheckedContinuation<Void, Never>?)
}
