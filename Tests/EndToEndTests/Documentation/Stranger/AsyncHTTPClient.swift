// As much of AsyncHTTPClient as the article on 401 uses, by the signatures of its documentation: the package
// cannot be fetched where the tests run.

public final class HTTPClient: Sendable {
    public static let shared = HTTPClient()

    public func execute(
        _ request: HTTPClientRequest,
        timeout: TimeAmount
    ) async throws -> HTTPClientResponse {
        HTTPClientResponse(status: HTTPResponseStatus(code: 200), headers: request.headers)
    }
}

public struct TimeAmount: Sendable {
    public static func seconds(_ amount: Int64) -> TimeAmount { TimeAmount() }
}

public struct HTTPHeaders: Sendable {
    private var fields: [(name: String, value: String)] = []

    public mutating func add(name: String, value: String) {
        fields.append((name, value))
    }

    public subscript(name: String) -> [String] {
        fields.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
    }
}

public struct HTTPClientRequest: Sendable {
    public var url: String
    public var headers = HTTPHeaders()

    public init(url: String) {
        self.url = url
    }
}

public struct HTTPResponseStatus: Sendable {
    public let code: UInt
}

public struct HTTPClientResponse: Sendable {
    public var status: HTTPResponseStatus
    public var headers: HTTPHeaders
}
