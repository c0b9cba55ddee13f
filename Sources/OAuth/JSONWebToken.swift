package import VaultCrypto

/// Reads what a JSON Web Token (RFC 7519) says about itself.
///
/// **Nothing is verified**: the claims are a hint for planning a refresh, never a reason to trust.
package enum JSONWebToken {
    /// The registered claims; times in whole seconds since 1970, `nil` when absent or unusable.
    package struct Claims: Sendable, Hashable {
        package var expiry: Int64?
        package var issuedAt: Int64?
        package var notBefore: Int64?
        package var subject: String?
        package var issuer: String?
    }

    /// Longer tokens are taken as opaque.
    private static let maximumLength = 1 << 21

    /// The claims of a signed or unsecured token, `nil` for everything that is opaque.
    package static func claims(of token: Secret) -> Claims? {
        guard let payload = payload(of: token) else { return nil }
        return Claims(
            expiry: payload["exp"].flatMap(time),
            issuedAt: payload["iat"].flatMap(time),
            notBefore: payload["nbf"].flatMap(time),
            subject: payload["sub"]?.text,
            issuer: payload["iss"]?.text
        )
    }

    /// All claims of such a token, as they came.
    static func payload(of token: Secret) -> [String: JSONValue]? {
        guard token.count <= maximumLength else { return nil }
        return token.withBytes { text in
            let dots = text.indices.filter { text[$0] == UInt8(ascii: ".") }
            guard dots.count == 2, object(text, 0..<dots[0]) != nil else { return nil }
            return object(text, dots[0] + 1..<dots[1])
        }
    }

    private static func object(_ text: Span<UInt8>, _ range: Range<Int>) -> [String: JSONValue]? {
        guard let bytes = Base64.decode(text, in: range),
            String(validating: bytes, as: UTF8.self) != nil
        else { return nil }
        let document = JSONReader.read(bytes.span)
        return document.isComplete ? document.value.object : nil
    }

    private static func time(_ value: JSONValue) -> Int64? {
        guard let seconds = value.double, abs(seconds) <= UnixTime.maximum else { return nil }
        return Int64(seconds.rounded(.down))
    }
}
