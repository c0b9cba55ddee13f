internal import CPlatform
internal import Glibc

/// Messages for one thread that sleeps in poll(2): posting wakes it through a pipe.
///
/// The pipe gets one byte when the box stops being empty, so it never fills up.
package final class Mailbox<Message: Sendable>: Sendable {
    /// Readable when there is something to take.
    package let descriptor: Int32
    private let writeEnd: Int32
    private let state = Locked(State())

    private struct State {
        var messages: [Message] = []
        var isClosed = false
    }

    package init() throws(SystemError) {
        var ends: [Int32] = [-1, -1]
        try SystemError.check(cplatform_pipe(&ends))
        (descriptor, writeEnd) = (ends[0], ends[1])
        try Descriptor.setNonblocking(descriptor)
        try Descriptor.setNonblocking(writeEnd)
    }

    deinit {
        Descriptor.close(descriptor)
        Descriptor.close(writeEnd)
    }

    /// Leaves a message; says no once the box is closed, and the message is the caller's again.
    @discardableResult
    package func post(_ message: Message) -> Bool {
        let (taken, wasEmpty) = state.withLock { state in
            guard !state.isClosed else { return (false, false) }
            state.messages.append(message)
            return (true, state.messages.count == 1)
        }
        if wasEmpty {
            var byte: UInt8 = 1
            _ = write(writeEnd, &byte, 1)
        }
        return taken
    }

    /// Everything left since the last time.
    package func takeAll() -> [Message] {
        // The pipe first: a message that arrives in between then leaves a byte of its own.
        var bytes: (UInt64, UInt64) = (0, 0)
        _ = read(descriptor, &bytes, MemoryLayout.size(ofValue: bytes))
        return state.withLock { state in
            defer { state.messages = [] }
            return state.messages
        }
    }

    /// Accepts no more messages, and returns those that nobody took.
    package func close() -> [Message] {
        state.withLock { state in
            state.isClosed = true
            defer { state.messages = [] }
            return state.messages
        }
    }
}
