public import OAuth
public import VaultCrypto

/// A request as a transport was given it; printing it shows no secret.
public struct SentRequest: Sendable {
    /// The request itself.
    public let request: HTTPRequest

    init(_ request: HTTPRequest) {
        self.request = request
    }

    /// A parameter of a form body; nil when there is none of this name.
    public func parameter(_ name: String) -> Secret? {
        request.body?.withBytes { FormDecoding.pairs($0) }?.first { $0.name == name }?.value
    }

    /// The refresh token that is presented, if one is.
    public var refreshToken: Secret? { parameter("refresh_token") }

    /// The first value of a header field, its name compared without case.
    public func header(_ name: String) -> Secret? {
        request.headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }
}
