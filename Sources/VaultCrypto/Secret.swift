internal import CSodium

/// A token, client secret or answer: bytes that are wiped when the last copy goes, and that never
/// print.
///
/// `reveal` and `withBytes` are the only readers, so that searching for them is the audit.
public struct Secret: Sendable {
    @usableFromInline let storage: Storage

    /// A secret from text, kept as its UTF-8 bytes.
    public init(_ text: String) {
        storage = Storage(count: text.utf8.count) { memory in
            _ = memory.update(from: text.utf8)
        }
    }

    /// A secret from bytes.
    public init(bytes: [UInt8]) {
        storage = Storage(bytes)
    }

    /// A secret from bytes that are wiped where they were.
    package init(wiping bytes: inout [UInt8]) {
        storage = Storage(bytes)
        wipe(&bytes)
    }

    /// A secret from bytes lent by somebody who wipes them.
    package init(copying bytes: Span<UInt8>) {
        storage = Storage(count: bytes.count) { memory in
            bytes.withUnsafeBufferPointer { _ = memory.update(from: $0) }
        }
    }

    /// A secret that the closure puts at the start of some memory, and of which it says the length.
    ///
    /// All of the memory is wiped in the end.
    init<Failure: Error>(
        capacity: Int,
        filling body: (UnsafeMutableBufferPointer<UInt8>) throws(Failure) -> Int
    ) throws(Failure) {
        storage = Storage(capacity: capacity)
        storage.count = try body(storage.memory)
    }

    /// The number of bytes.
    public var count: Int { storage.count }

    /// Whether there is nothing in it.
    public var isEmpty: Bool { storage.count == 0 }

    /// Lends the secret as text for the duration of the closure.
    ///
    /// Bytes that are not UTF-8 are replaced as `String(decoding:as:)` does.
    @inlinable
    public func reveal<Result, Failure: Error>(
        _ body: (String) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(String(decoding: storage.buffer, as: UTF8.self))
    }

    /// Lends the secret's bytes for the duration of the closure.
    @inlinable
    public func withBytes<Result, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        defer { extendLifetime(storage) }
        return try body(storage.buffer.span)
    }

    /// The memory itself, immutable once filled and wiped at the end: what makes the sharing safe.
    @usableFromInline
    final class Storage: @unchecked Sendable {
        fileprivate let memory: UnsafeMutableBufferPointer<UInt8>
        fileprivate(set) var count: Int

        @usableFromInline var buffer: UnsafeBufferPointer<UInt8> {
            UnsafeBufferPointer(start: memory.baseAddress, count: count)
        }

        fileprivate init(capacity: Int) {
            memory = .allocate(capacity: capacity)
            memory.initialize(repeating: 0)
            count = capacity
        }

        convenience init(count: Int, filling body: (UnsafeMutableBufferPointer<UInt8>) -> Void) {
            self.init(capacity: count)
            body(memory)
        }

        convenience init(_ bytes: [UInt8]) {
            self.init(count: bytes.count) { memory in
                _ = memory.update(from: bytes)
            }
        }

        deinit {
            if let base = memory.baseAddress { sodium_memzero(base, memory.count) }
            memory.deallocate()
        }
    }
}

/// Overwrites bytes with zeros in a way that no optimiser removes, and empties the array.
package func wipe(_ bytes: inout [UInt8]) {
    sodium_memzero(&bytes, bytes.count)
    bytes = []
}

extension Secret: Hashable {
    /// Compares in constant time for secrets of equal length.
    public static func == (left: Secret, right: Secret) -> Bool {
        guard left.count == right.count else { return false }
        return left.withBytes { a in
            right.withBytes { b in
                a.withUnsafeBufferPointer { a in
                    b.withUnsafeBufferPointer { b in
                        guard let x = a.baseAddress, let y = b.baseAddress else { return true }
                        return sodium_memcmp(x, y, a.count) == 0
                    }
                }
            }
        }
    }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) {
        withBytes { bytes in
            bytes.withUnsafeBufferPointer { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        }
    }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Says that there is a secret, and nothing about it.
    public var description: String { "<redacted>" }
    /// Says that there is a secret, and nothing about it.
    public var debugDescription: String { "<redacted>" }
    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
