internal import CSodium

/// A token, client secret or answer: bytes that are wiped when the last copy goes, and that never
/// print.
///
/// `reveal` and `withBytes` are the only readers, so that searching for them is the audit.
public struct Secret: @unchecked Sendable {
    // Unchecked because the memory is filled before anybody else can see it, and only wiped then.
    @usableFromInline let storage: Storage

    /// A secret from text, kept as its UTF-8 bytes.
    public init(_ text: String) {
        storage = .make(capacity: text.utf8.count) { memory in
            _ = memory.update(from: text.utf8)
            return memory.count
        }
    }

    /// A secret from bytes.
    public init(bytes: [UInt8]) {
        self.init(copying: bytes.span)
    }

    /// A secret from bytes that are wiped where they were.
    package init(wiping bytes: inout [UInt8]) {
        self.init(copying: bytes.span)
        wipe(&bytes)
    }

    /// A secret from bytes lent by somebody who wipes them.
    package init(copying bytes: Span<UInt8>) {
        storage = .make(capacity: bytes.count) { memory in
            bytes.withUnsafeBufferPointer { _ = memory.update(from: $0) }
            return memory.count
        }
    }

    /// A secret that the closure puts at the start of some memory, and of which it says the length.
    ///
    /// All of the memory is wiped in the end.
    init<Failure: Error>(
        capacity: Int,
        filling body: (UnsafeMutableBufferPointer<UInt8>) throws(Failure) -> Int
    ) throws(Failure) {
        storage = try .make(capacity: capacity, filling: body)
    }

    /// The number of bytes.
    public var count: Int { storage.header.count }

    /// Whether there is nothing in it.
    public var isEmpty: Bool { count == 0 }

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

    /// The bytes, in one piece of memory with what is to be known of it.
    @usableFromInline
    final class Storage: ManagedBuffer<Storage.Header, UInt8> {
        @usableFromInline
        struct Header {
            /// Bytes of the memory, all of which are wiped.
            let capacity: Int
            /// Bytes of the secret.
            var count = 0
        }

        @usableFromInline var buffer: UnsafeBufferPointer<UInt8> {
            withUnsafeMutablePointers { header, bytes in
                UnsafeBufferPointer(start: bytes, count: header.pointee.count)
            }
        }

        fileprivate static func make<Failure: Error>(
            capacity: Int,
            filling body: (UnsafeMutableBufferPointer<UInt8>) throws(Failure) -> Int
        ) throws(Failure) -> Storage {
            let buffer = create(minimumCapacity: capacity) { _ in Header(capacity: capacity) }
            let storage = unsafeDowncast(buffer, to: Storage.self)
            try storage.fill(body)
            return storage
        }

        private func fill<Failure: Error>(
            _ body: (UnsafeMutableBufferPointer<UInt8>) throws(Failure) -> Int
        ) throws(Failure) {
            header.count = try withUnsafeMutablePointers { header, bytes throws(Failure) in
                bytes.initialize(repeating: 0, count: header.pointee.capacity)
                return try body(
                    UnsafeMutableBufferPointer(start: bytes, count: header.pointee.capacity)
                )
            }
        }

        deinit {
            withUnsafeMutablePointers { header, bytes in
                sodium_memzero(bytes, header.pointee.capacity)
            }
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
