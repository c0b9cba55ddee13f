/// What one server allows its clients.
package struct HTTPServerLimits: Sendable {
    /// Bytes of a request body; one more is answered 413.
    package var bodyBytes = 1 << 20
    /// Memory of one connection; about half of it can be request line and header fields.
    package var connectionMemory = 32 << 10
    /// Connections at one time.
    ///
    /// One more takes the place of the oldest that has no request under way; where all have, it
    /// waits in the kernel's queue.
    package var connections = 256
    /// Whole seconds without a byte after which a connection is closed, 0 for never.
    package var idleSeconds = 30
    /// Whether a connection may carry another request after its first.
    package var keepsConnections = true
    /// Seconds that `stop()` waits for requests being answered.
    package var stopSeconds = 10.0

    package init() {}
}
