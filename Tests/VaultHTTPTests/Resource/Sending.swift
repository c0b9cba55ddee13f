import OAuth
import Platform
import VaultAccess
import VaultHTTP

extension CurlTransport {
    /// Sends, reads the whole answer, and gives back both as text.
    func text(of request: ResourceRequest) async throws -> (status: Int, text: String) {
        let response = try await send(request)
        return (response.status, try await response.text)
    }

    /// What an exchange ends with, the reading of the answer included; nothing when all is well.
    func failure(of request: ResourceRequest) async -> (any Error)? {
        do {
            _ = try await text(of: request)
            return nil
        } catch {
            return error
        }
    }
}

extension ResourceResponse {
    var text: String {
        get async throws { String(decoding: try await body.collect(upTo: 1 << 20), as: UTF8.self) }
    }
}

extension RequestBody {
    /// Pieces as they are yielded.
    static func stream(
        length: Int? = nil,
        _ yield: (AsyncThrowingStream<[UInt8], any Error>.Continuation) -> Void
    ) -> RequestBody {
        let (stream, continuation) = AsyncThrowingStream<[UInt8], any Error>.makeStream()
        yield(continuation)
        return .oneShot(length: length, stream)
    }

    /// Some pieces of text, and the end.
    static func texts(_ texts: [String], length: Int? = nil) -> RequestBody {
        .stream(length: length) { body in
            for text in texts { body.yield(Array(text.utf8)) }
            body.finish()
        }
    }
}

/// What a source of a body may throw.
struct SourceFailure: Error, Equatable {}

/// An error that holds on to a transport, and tells when it has let go of it.
final class HoldingFailure: Error {
    private let transport: Locked<CurlTransport?>
    private let end: AsyncStream<Void>.Continuation

    init(transport: CurlTransport, end: AsyncStream<Void>.Continuation) {
        self.transport = Locked(transport)
        self.end = end
    }

    deinit {
        transport.withLock { $0 = nil }
        end.yield()
    }
}

extension Optional where Wrapped == any Error {
    var transportError: HTTPTransportError? { self as? HTTPTransportError }
}
