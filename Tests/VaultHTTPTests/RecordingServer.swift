import OAuth
import Platform
import VaultCrypto
import VaultHTTP
import VaultHTTPServer

/// A server on 127.0.0.1 that keeps every request it got.
final class RecordingServer: Sendable {
    private let recorded: Record
    private let server: HTTPServer

    private final class Record: Sendable {
        let requests = Locked<[HTTPServerRequest]>([])
    }

    /// Answers by the request and its number, counted from 1.
    init(
        limits: HTTPServerLimits = HTTPServerLimits(),
        _ answer: @escaping @Sendable (HTTPServerRequest, Int) async -> HTTPServerAnswer
    ) throws {
        let record = Record()
        recorded = record
        server = try HTTPServer(on: .loopback(), limits: limits) { request in
            let number = record.requests.withLock { requests in
                requests.append(request)
                return requests.count
            }
            return await answer(request, number)
        }
    }

    convenience init(always answer: HTTPServerAnswer) throws {
        try self.init { _, _ in answer }
    }

    var requests: [HTTPServerRequest] { recorded.requests.withLock { $0 } }
    var port: UInt16 { server.port }

    func url(_ path: String = "/") -> EndpointURL {
        EndpointURL(unchecked: "http://127.0.0.1:\(server.port)\(path)")
    }

    func stop() async {
        await server.stop()
    }
}

extension HTTPServerLimits {
    /// One seat: a client that opens a second connection beside its first waits for ever.
    static var oneConnection: HTTPServerLimits {
        var limits = HTTPServerLimits()
        limits.connections = 1
        return limits
    }
}

extension HTTPServerAnswer {
    static func text(_ text: String, status: Int = 200) -> HTTPServerAnswer {
        .response(HTTPServerResponse(status: status, text: text))
    }
}

extension CurlTransport {
    /// Sends and gives back what came of it.
    func outcome(of request: HTTPRequest) async -> Result<HTTPResponse, HTTPTransportError> {
        do throws(HTTPTransportError) {
            return .success(try await send(request))
        } catch {
            return .failure(error)
        }
    }

    /// The error a request ends with, nothing when it is answered.
    func failure(of request: HTTPRequest) async -> HTTPTransportError? {
        if case .failure(let error) = await outcome(of: request) { error } else { nil }
    }
}

extension HTTPResponse {
    var text: String { body.reveal { $0 } }
}
