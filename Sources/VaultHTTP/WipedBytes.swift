internal import Glibc
internal import VaultCrypto

/// Bytes that grow without leaving copies behind, and are wiped at the end.
final class WipedBytes {
    private var memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 4096, alignment: 1)
    private(set) var count = 0

    deinit {
        discard(memory)
    }

    func append(_ bytes: UnsafeRawBufferPointer) {
        if count + bytes.count > memory.count { grow(to: count + bytes.count) }
        UnsafeMutableRawBufferPointer(rebasing: memory[count...]).copyMemory(from: bytes)
        count += bytes.count
    }

    /// A secret with the same bytes.
    func secret() -> Secret {
        var copy = Array(memory[..<count])
        defer { copy.withUnsafeMutableBytes { wipe($0) } }
        return Secret(bytes: copy)
    }

    private func grow(to needed: Int) {
        let larger = UnsafeMutableRawBufferPointer.allocate(
            byteCount: max(needed, 2 * memory.count),
            alignment: 1
        )
        larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: memory[..<count]))
        discard(memory)
        memory = larger
    }

    private func discard(_ memory: UnsafeMutableRawBufferPointer) {
        wipe(memory)
        memory.deallocate()
    }

    private func wipe(_ memory: UnsafeMutableRawBufferPointer) {
        if let start = memory.baseAddress { explicit_bzero(start, memory.count) }
    }
}
