internal import Platform

/// A body that is there already, in one piece.
final class BytesSource: ResponseBody.Source {
    private let bytes: Locked<[UInt8]?>

    init(_ bytes: [UInt8]) {
        self.bytes = Locked(bytes.isEmpty ? nil : bytes)
    }

    func next() async throws -> [UInt8]? {
        bytes.withLock { bytes in
            defer { bytes = nil }
            return bytes
        }
    }
}
