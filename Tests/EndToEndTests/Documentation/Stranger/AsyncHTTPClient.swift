// As much of AsyncHTTPClient as the article on 401 uses, by the signatures of its documentation: the package
// cannot be fetched where the tests run.

package final class HTTPClient: Sendable {
    package static let shared = HTTPClient()

    package func execute(
        _ request: HTTPClientRequest,
        timeout: TimeAmount
    ) async throws -> HTTPClientResponse {
        HTTPClientResponse(status: HTTPResponseStatus(code: 200), headers: request.headers)
    }
}

package struct TimeAmount: Sendable {
    package static func seconds(_ amount: Int64) -> TimeAmount { TimeAmount() }
}

package struct HTTPHeaders: Sendable {
    private var fields: [(name: String, value: String)] = []

    package mutating func add(name: String, value: String) {
        fields.append((name, value))
    }

    package subscript(name: String) -> [String] {
        fields.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
    }
}

package struct HTTPClientRequest: Sendable {
    package var url: String
    package var headers = HTTPHeaders()

    package init(url: String) {
        self.url = url
    }
}

package struct HTTPResponseStatus: Sendable {
    package let code: UInt
}

package struct HTTPClientResponse: Sendable {
    package var status: HTTPResponseStatus
    package var headers: HTTPHeaders
}
