public import OAuth

/// A request to a resource server (RFC 6749 §7).
public struct ResourceRequest: Sendable {
    /// A method, as `GET` (RFC 9110 §9).
    public struct Method: RawRepresentable, Sendable, Hashable, ExpressibleByStringLiteral {
        /// Its name, which is case-sensitive.
        public let rawValue: String

        /// A method by its name.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// A method by its name.
        public init(stringLiteral name: String) {
            rawValue = name
        }

        /// Transfers the current representation.
        public static let get: Method = "GET"
        /// The same without a body.
        public static let head: Method = "HEAD"
        /// Has the resource process the body.
        public static let post: Method = "POST"
        /// Replaces the representation.
        public static let put: Method = "PUT"
        /// Changes a part of it (RFC 5789).
        public static let patch: Method = "PATCH"
        /// Removes it.
        public static let delete: Method = "DELETE"
    }

    /// The method.
    public var method: Method
    /// Where to: https, or http on a loopback address.
    public var url: EndpointURL
    /// Header fields in the order they are sent.
    public var headers: [HTTPHeader]
    /// What follows the header.
    public var body: RequestBody
    /// Seconds until the header of the answer has to be complete, connecting and sending included;
    /// and as many to wait for a token, each time one is needed.
    public var deadline: Double
    /// Seconds for which the body of the answer may not move while somebody reads it.
    public var idleLimit: Double
    /// Whether it carries an access token.
    public var isAuthorized: Bool
    /// What a rejection of the token leads to.
    public var whenUnauthorized: UnauthorizedPolicy

    /// A request; it carries a token, and has 60 seconds to each of its limits unless told.
    public init(
        _ method: Method = .get,
        _ url: EndpointURL,
        headers: [HTTPHeader] = [],
        body: RequestBody = .none,
        deadline: Double = 60,
        idleLimit: Double = 60,
        isAuthorized: Bool = true,
        whenUnauthorized: UnauthorizedPolicy = .refreshAndRetryOnce
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.deadline = deadline
        self.idleLimit = idleLimit
        self.isAuthorized = isAuthorized
        self.whenUnauthorized = whenUnauthorized
    }
}

/// What a rejected access token leads to.
public enum UnauthorizedPolicy: Sendable, Hashable, CaseIterable {
    /// The token is renewed and the request sent once more; what comes then is the answer.
    ///
    /// A body that can be read only once is not sent again: then it is as `refreshOnly`.
    case refreshAndRetryOnce
    /// The token is replaced for the requests to come, and the rejection is the answer.
    case refreshOnly
    /// The rejection is the answer, and nothing else happens.
    case passThrough
}
