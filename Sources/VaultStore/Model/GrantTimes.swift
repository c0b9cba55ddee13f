package import FoundationEssentials
package import OAuth

/// What is known of how long a grant lasts: whole seconds, so that it reads back as it was written.
package struct GrantTimes: Sendable, Hashable {
    /// When somebody signed in; nil of an account that an older program stored.
    package var began: Date?
    /// When the refresh token came, or its server said last how long it lasts.
    package var obtained: Date?
    /// Seconds that it lasts from then; nil where nobody said, or `end` says it.
    package var lifetime: TimeInterval?
    /// Its end, where refreshing turned out not to move that.
    package var end: Date?

    /// Less than this, in seconds, between two answers does not tell whether the end moves: what is
    /// told is rounded.
    private static let shortestComparison: TimeInterval = 10

    package init(
        began: Date? = nil,
        obtained: Date? = nil,
        lifetime: TimeInterval? = nil,
        end: Date? = nil
    ) {
        self.began = began
        self.obtained = obtained
        self.lifetime = lifetime
        self.end = end
    }

    /// Those of a grant that was given now.
    package init(signedIn sent: Date, lifetime: TimeInterval?) {
        self.init(began: sent.whole, obtained: sent.whole, lifetime: lifetime?.rounded(.down))
    }

    /// When the refresh token ends, as its server said.
    package var toldEnd: Date? {
        if let end { return end }
        guard let obtained, let lifetime else { return nil }
        return obtained.addingTimeInterval(lifetime)
    }

    /// What is known after a refresh.
    ///
    /// A full life with each answer is one that refreshing prolongs. A life that was told once, or
    /// that counts down, ends when it ends (LinkedIn's year, Google's week of a client in testing).
    ///
    /// - Parameters:
    ///   - sent: When the refresh was sent.
    ///   - isRotated: Whether it brought another refresh token.
    ///   - told: Seconds that the refresh token lasts, if the answer said so.
    /// - Returns: What is known then.
    package func refreshed(sent: Date, isRotated: Bool, told: TimeInterval?) -> GrantTimes {
        var times = self
        guard let told else {
            if !isRotated { (times.end, times.lifetime) = (toldEnd, nil) }
            if isRotated { (times.obtained, times.lifetime) = (sent.whole, nil) }
            return times
        }
        let newEnd = sent.whole.addingTimeInterval(told.rounded(.down))
        (times.obtained, times.lifetime, times.end) = (sent.whole, told.rounded(.down), nil)
        guard let toldEnd, let obtained else { return times }
        let passed = sent.whole.timeIntervalSince(obtained)
        let isFixed =
            passed < Self.shortestComparison
            ? end != nil : newEnd.timeIntervalSince(toldEnd) < passed / 2
        if isFixed { (times.lifetime, times.end) = (nil, newEnd) }
        return times
    }
}

/// When a grant ends that nobody renews by a new sign-in.
package struct GrantEnd: Sendable, Hashable {
    package let date: Date
    /// Seconds from its beginning; nil where that is not known.
    package let life: TimeInterval?

    /// The most seconds before its end at which a person is told.
    private static let longestNotice: TimeInterval = 14 * 86_400
    /// Of a shorter life nobody is told in advance: that is a session, and no grant to go without
    /// a person for long.
    private static let shortestLife: TimeInterval = 86_400

    package init(date: Date, life: TimeInterval?) {
        self.date = date
        self.life = life
    }

    /// When a person is told: two weeks before, or a quarter of the life; nil for never.
    package var notice: Date? {
        if let life, life < Self.shortestLife { return nil }
        let lead = min(Self.longestNotice, (life ?? .infinity) / 4)
        return date.addingTimeInterval(-lead)
    }

    /// No notice is due before these many seconds ahead of an end.
    package static var earliestNotice: TimeInterval { longestNotice }
}

extension TokenSet {
    /// When the grant ends: by what its server said of the refresh token, or by what the provider's
    /// entry says of every grant, whichever comes first; nil where neither says anything.
    package func grantEnd(_ provider: ProviderCatalogue.Entry?) -> GrantEnd? {
        guard refreshToken != nil, let grant else { return nil }
        var ends: [GrantEnd] = []
        if let told = grant.toldEnd {
            let life = grant.lifetime ?? grant.began.map { told.timeIntervalSince($0) }
            ends.append(GrantEnd(date: told, life: life))
        }
        if let began = grant.began, let life = provider?.refreshTokenLifetime {
            ends.append(GrantEnd(date: began.addingTimeInterval(life), life: life))
        }
        return ends.min { $0.date < $1.date }
    }
}

extension StoredAccount {
    /// When its grant ends; nil where nobody knows.
    package var grantEnd: GrantEnd? { tokens.grantEnd(settings.provider) }
}

extension Date {
    fileprivate var whole: Date {
        Date(timeIntervalSince1970: timeIntervalSince1970.rounded(.down))
    }
}
