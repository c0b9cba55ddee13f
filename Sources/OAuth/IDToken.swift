package import FoundationEssentials
package import VaultCrypto

/// An ID token that came straight from the token endpoint.
///
/// Its signature is not checked: TLS vouches for who sent it (OpenID Connect Core 1.0 §3.1.3.7, item
/// 6). One that came any other way is not for this reader.
package enum IDToken {
    /// Why an ID token says nothing.
    package enum Flaw: Error, Sendable, Equatable {
        /// It is no JSON Web Token, or has no usable subject.
        case unreadable
        /// Another server issued it.
        case issuer
        /// It is for another client.
        case audience
        /// It is of another authorization request.
        case nonce
        /// It has expired, or does not say when it does.
        case expired
    }

    /// Seconds by which the clocks of the two sides may differ.
    private static let leeway = 300.0

    /// Who signed in.
    ///
    /// - Parameters:
    ///   - token: The token.
    ///   - issuer: The issuer, letter by letter as its metadata states it; nil where nobody knows it,
    ///     and the token's own word stands: it came from the token endpoint all the same.
    ///   - client: The client that the token has to be for.
    ///   - nonce: The value of the authorization request, which the token has to repeat (OpenID Connect
    ///     Core 1.0 §3.1.3.7, item 11); nil where none was sent.
    ///   - now: The wall clock.
    /// - Returns: The identity.
    /// - Throws: `Flaw`.
    package static func identity(
        in token: Secret,
        issuer: String?,
        client: ClientID,
        nonce: Secret?,
        at now: Date
    ) throws(Flaw) -> Identity {
        guard let claims = JSONWebToken.payload(of: token) else { throw .unreadable }
        guard let stated = claims["iss"]?.text, issuer.map({ isSame(stated, $0) }) ?? true else {
            throw .issuer
        }
        guard isMeant(claims, for: client.rawValue) else { throw .audience }
        guard nonce.map({ $0.reveal { $0 == claims["nonce"]?.text } }) ?? true else {
            throw .nonce
        }
        guard let expiry = claims["exp"]?.double, expiry > now.timeIntervalSince1970 - leeway
        else { throw .expired }
        guard let identity = Identity(claims: claims) else { throw .unreadable }
        return identity
    }

    /// Some servers leave the scheme or the last slash out in the one place and not in the other.
    private static func isSame(_ stated: String, _ issuer: String) -> Bool {
        func bare(_ text: String) -> Substring {
            let rest = text.hasPrefix("https://") ? text.dropFirst("https://".count) : text[...]
            return rest.hasSuffix("/") ? rest.dropLast() : rest
        }
        return bare(stated) == bare(issuer)
    }

    /// Of several audiences the authorized party tells which one it was issued to.
    private static func isMeant(_ claims: [String: JSONValue], for client: String) -> Bool {
        let audiences = claims["aud"]?.array?.map(\.text) ?? [claims["aud"]?.text]
        guard audiences.contains(client) else { return false }
        return claims["azp"]?.text.map { $0 == client } ?? true
    }
}
