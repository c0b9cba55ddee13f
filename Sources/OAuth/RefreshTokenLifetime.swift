internal import FoundationEssentials

/// How long an answer says that the refresh token lasts.
///
/// No standard has a member for it. Those read here are the ones that servers send: Keycloak's
/// `refresh_expires_in`, Intuit's `x_refresh_token_expires_in`, the absolute
/// `refresh_token_expiration` of Clover, and what most others call `refresh_token_expires_in`.
enum RefreshTokenLifetime {
    private static let relativeNames = [
        "refresh_token_expires_in", "refresh_expires_in", "x_refresh_token_expires_in",
        "refreshTokenExpiresIn",
    ]
    private static let absoluteNames = [
        "refresh_token_expires_at", "refresh_token_expiration", "refreshTokenExpiresAt",
    ]

    /// Whole seconds; nil where the answer says nothing that can be true.
    ///
    /// Zero is how Keycloak writes that there is no end.
    static func seconds(in body: JSONValue, quirks: ProviderQuirks, from start: Date) -> Double? {
        let (members, now) = (body.object ?? [:], start.timeIntervalSince1970)
        let divisor: Double = quirks.expiresInUnit == .milliseconds ? 1000 : 1
        for name in relativeNames {
            guard let number = members[name]?.double else { continue }
            if let found = TokenExpiry.relative(number / divisor, now) { return found }
        }
        return absoluteNames.lazy.compactMap { members[$0] }
            .compactMap { TokenExpiry.absolute($0, now) }.first
    }
}
