/// What one server allows its clients.
package struct HTTPServerLimits: Sendable {
    /// Bytes of a request body; one more is answered 413.
    package var bodyBytes = 1 << 20
    /// Memory of one connection; about half of it can be request line and header fields.
    package var connectionMemory = 32 << 10
    /// Header fields of a request; one more is answered 431.
    package var headerFields = 100
    /// Connections at one time.
    ///
    /// One more takes the place of the oldest that has no request under way; where all have, it
    /// waits in the kernel's queue.
    package var connections = 256
    /// Whole seconds without a byte after which a connection is closed, 0 for never.
    package var idleSeconds = 30
    /// Seconds for a whole request, from its connection or from its first line where the connection
    /// carried one before.
    ///
    /// A client that sends a byte now and then is cut off.
    package var requestSeconds = 10.0
    /// Whether a connection may carry another request after its first.
    package var keepsConnections = true
    /// Seconds that `stop()` waits for requests being answered.
    package var stopSeconds = 10.0

    /// What a request gets that is refused before any handler sees it, by its status.
    package var refusal: @Sendable (_ status: Int) -> HTTPServerResponse = {
        HTTPServerResponse(status: $0)
    }

    package init() {}
}
