/// How many requests a host takes within some time.
package struct RequestLimit: Sendable, Hashable, Codable {
    /// Requests within `seconds`, one or more.
    package let requests: Int
    /// Above zero.
    package let seconds: Double

    package init(requests: Int, seconds: Double) {
        self.requests = requests
        self.seconds = seconds
    }

    private enum CodingKeys: String, CodingKey {
        case requests = "count"
        case seconds
    }
}
