internal import FoundationEssentials
internal import VaultCrypto

/// When an access token ends, from whichever member says so.
struct TokenExpiry {
    let lifetime: Double?
    let date: Date?

    static let unknown = TokenExpiry(lifetime: nil, date: nil)

    /// The first statement that can be true.
    ///
    /// The relative one first: it needs no agreement about the time. A lifetime of zero or less is
    /// what several servers write for "no end", and taking it at its word would refresh for ever.
    init(
        _ body: JSONValue,
        accessToken: Secret,
        quirks: ProviderQuirks,
        from start: Date
    ) {
        let now = start.timeIntervalSince1970
        let found =
            Self.named(body, quirks, now)
            ?? JSONWebToken.claims(of: accessToken)?.expiry
            .flatMap { Self.absolute(Double($0), now) }
        self = found.map { Self(lifetime: $0, date: start.addingTimeInterval($0)) } ?? .unknown
    }

    private init(lifetime: Double?, date: Date?) {
        self.lifetime = lifetime
        self.date = date
    }

    private static func named(
        _ body: JSONValue,
        _ quirks: ProviderQuirks,
        _ now: Double
    ) -> Double? {
        let divisor: Double = quirks.expiresInUnit == .milliseconds ? 1000 : 1
        if let value = quirks.expiresInField.flatMap({ body.member(at: $0) }) {
            return value.double.flatMap { relative($0 / divisor, now) }
        }
        if let value = quirks.expiresAtPath.flatMap({ body.member(at: $0) }) {
            return absolute(value, now)
        }
        let members = body.object ?? [:]
        for name in ["expires_in", "expiresIn"] {
            if let number = members[name]?.double, let found = relative(number / divisor, now) {
                return found
            }
        }
        for name in ["expires_at", "expires_on", "expiresAt"] {
            if let found = members[name].flatMap({ absolute($0, now) }) { return found }
        }
        return members["expires"].flatMap { either($0, now) }
    }

    /// A small number counts from now, a large one from 1970.
    private static func either(_ value: JSONValue, _ now: Double) -> Double? {
        guard let number = value.double, number < 1e9 else { return absolute(value, now) }
        return relative(number, now)
    }

    static func relative(_ seconds: Double, _ now: Double) -> Double? {
        let whole = seconds.rounded(.down)
        return whole > 0 && now + whole <= UnixTime.maximum ? whole : nil
    }

    static func absolute(_ value: JSONValue, _ now: Double) -> Double? {
        guard let number = value.double else {
            return value.text.flatMap(CalendarDate.iso8601).flatMap { absolute($0, now) }
        }
        // Seconds reach 1e11 in the year 5138, milliseconds did in 1973.
        return absolute(number > 1e11 ? number / 1000 : number, now)
    }

    private static func absolute(_ seconds: Double, _ now: Double) -> Double? {
        relative(seconds.rounded(.down) - now, now)
    }
}
