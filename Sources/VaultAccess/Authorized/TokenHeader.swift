public import OAuth
internal import VaultCrypto

extension AccessToken {
    /// The header field that presents the token (RFC 6750 §2.1).
    ///
    /// - Throws: ``VaultError``: `invalid_input` for a token of a type that is not presented this way; it
    ///   must not be used then (RFC 6749 §7.1).
    public var authorization: HTTPHeader {
        get throws(VaultError) {
            guard tokenType.lowercased() == "bearer" else {
                throw VaultError(
                    .invalidInput,
                    account: account,
                    facts: [.field: "token_type", .found: tokenType, .wanted: "Bearer"]
                )
            }
            return HTTPHeader("Authorization", value.reveal { Secret("Bearer \($0)") })
        }
    }
}
