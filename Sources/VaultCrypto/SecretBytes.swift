internal import CSodium

/// A key in guarded memory: locked where the system allows, read-only once written, wiped at the
/// end (https://doc.libsodium.org/memory_management).
///
/// Each one costs several pages, so this is for the few keys that stay; tokens travel in
/// ``Secret``.
package struct SecretBytes: ~Copyable, @unchecked Sendable {
    // Unchecked because the memory is written once, before anybody else can see it.
    private let address: UnsafePointer<UInt8>
    package let count: Int

    /// Memory of `count` bytes that the closure fills in.
    package init<Failure: Error>(
        count: Int,
        filling body: (UnsafeMutablePointer<UInt8>) throws(Failure) -> Void
    ) throws(Failure) {
        Sodium.ready
        guard let memory = sodium_malloc(count) else { fatalError("no guarded memory left") }
        let bytes = memory.bindMemory(to: UInt8.self, capacity: count)
        do throws(Failure) {
            try body(bytes)
        } catch {
            sodium_free(memory)
            throw error
        }
        sodium_mprotect_readonly(memory)
        address = UnsafePointer(bytes)
        self.count = count
    }

    /// A copy of `bytes`, which the caller wipes.
    package init(copying bytes: Span<UInt8>) {
        self.init(count: bytes.count) { (memory: UnsafeMutablePointer<UInt8>) in
            for index in bytes.indices { memory[index] = bytes[index] }
        }
    }

    /// A copy of a secret.
    package init(copying secret: Secret) {
        self.init(count: secret.count) { (memory: UnsafeMutablePointer<UInt8>) in
            secret.withBytes { bytes in
                for index in bytes.indices { memory[index] = bytes[index] }
            }
        }
    }

    /// Fresh random bytes.
    package static func random(count: Int) -> SecretBytes {
        SecretBytes(count: count) { memory in randombytes_buf(memory, count) }
    }

    deinit {
        sodium_free(UnsafeMutableRawPointer(mutating: address))
    }

    /// Lends the bytes for the duration of the closure.
    func withBytes<Result, Failure: Error>(
        _ body: (UnsafePointer<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(address)
    }

    /// Lends the bytes for the duration of the closure.
    package func withSpan<Result, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(UnsafeBufferPointer(start: address, count: count).span)
    }
}

/// Runs `body` with scratch memory for a key that lives no longer than the call.
func withTransientKey<Result: ~Copyable, Failure: Error>(
    _ body: (UnsafeMutablePointer<UInt8>) throws(Failure) -> Result
) throws(Failure) -> Result {
    // On the stack: asking the heap takes longer than wiping.
    try withUnsafeTemporaryAllocation(of: UInt8.self, capacity: KeyLength.key) {
        key throws(Failure) in
        guard let start = key.baseAddress else { preconditionFailure("there is always memory") }
        defer { sodium_memzero(start, KeyLength.key) }
        return try body(start)
    }
}

/// The sizes of the format, in bytes.
package enum KeyLength {
    /// Every key, and every keyed hash.
    package static let key = 32
    /// Nonce of a secretbox.
    package static let nonce = 24
    /// Authenticator of a secretbox.
    package static let authenticator = 16
    /// Block that a record is padded to.
    package static let padding = 512
}
