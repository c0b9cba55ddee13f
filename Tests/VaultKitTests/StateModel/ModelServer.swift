import FoundationEssentials

/// A token endpoint: what it does with refresh tokens, and the answers it writes.
///
/// The n-th refresh token of grant g is `refresh-g-n`; `access-g-n` came with it.
struct ModelServer: Hashable, Sendable {
    /// What becomes of a refresh token that was used.
    enum Profile: String, CaseIterable, Sendable {
        /// It stays as it is.
        case none
        /// It stays good beside its successor.
        case overlap
        /// It is taken for 30 seconds more, and ends the grant after that.
        case grace
        /// It is taken once more within 30 seconds, and ends the grant after that.
        case graceOnce = "grace once"
        /// Coming again it ends the grant.
        case strict
        /// Coming again it is refused, and its successor stays good.
        case strictButForgiving = "strict, grant lives on"
    }

    private struct Grant: Hashable {
        var newest = 1
        var used: [Int: Use] = [:]
        var isDead = false
    }

    private struct Use: Hashable {
        let first: Double
        var again = 0
    }

    /// Seconds for which the profiles with a grace period take a used refresh token.
    static let window = 30.0

    let profile: Profile
    private var frozen = Frozen([Grant()])
    /// The used refresh token that came again and was not taken.
    private(set) var reused: String?
    /// Whether that was because its grace period was over.
    private(set) var windowRanOut = false

    init(_ profile: Profile) {
        self.profile = profile
    }

    private var grants: [Grant] {
        get { frozen.value }
        set { frozen = Frozen(newValue) }
    }

    /// Whether the refresh token would bring a new pair now.
    func accepts(_ refreshToken: String, at now: Double) -> Bool {
        guard let (grant, number) = numbers(in: refreshToken), !grants[grant].isDead else {
            return false
        }
        guard let use = grants[grant].used[number] else { return true }
        switch profile {
        case .none, .overlap: return true
        case .grace: return now - use.first < Self.window
        case .graceOnce: return now - use.first < Self.window && use.again == 0
        case .strict, .strictButForgiving: return false
        }
    }

    /// Whether the refresh token was used up: not whether its grant ended for another's sake.
    func isSpent(_ refreshToken: String) -> Bool {
        guard let (grant, number) = numbers(in: refreshToken) else { return false }
        return grants[grant].used[number] != nil
    }

    /// Whether the refresh token was used so long ago that no grace period covers it.
    func isPastItsWindow(_ refreshToken: String, at now: Double) -> Bool {
        guard profile.hasWindow, let (grant, number) = numbers(in: refreshToken),
            let use = grants[grant].used[number]
        else { return false }
        return now - use.first >= Self.window
    }

    /// Takes a request up, and commits.
    mutating func answer(to refreshToken: String, at now: Double) -> ModelAnswer {
        guard let (grant, number) = numbers(in: refreshToken),
            accepts(refreshToken, at: now)
        else { return refuse(refreshToken, at: now) }
        if let use = grants[grant].used[number] {
            grants[grant].used[number] = Use(first: use.first, again: use.again + 1)
        } else if profile != .none {
            grants[grant].used[number] = Use(first: now)
        }
        grants[grant].newest += 1
        return .response(200, body(grant, grants[grant].newest, rotates: profile != .none))
    }

    private mutating func refuse(_ refreshToken: String, at now: Double) -> ModelAnswer {
        if let (grant, number) = numbers(in: refreshToken), !grants[grant].isDead,
            let use = grants[grant].used[number]
        {
            reused = refreshToken
            windowRanOut = profile.hasWindow && now - use.first >= Self.window
            grants[grant].isDead = profile != .strictButForgiving
        }
        return .response(
            400,
            #"{"error": "invalid_grant", "error_description": "Refresh token was used or revoked."}"#
        )
    }

    /// A person signs in: the earlier grant ends, and another begins.
    mutating func signIn() -> (accessToken: String, refreshToken: String) {
        grants[grants.count - 1].isDead = true
        grants.append(Grant())
        return ("access-\(grants.count)-1", "refresh-\(grants.count)-1")
    }

    private func body(_ grant: Int, _ number: Int, rotates: Bool) -> String {
        let rotated = rotates ? #", "refresh_token": "refresh-\#(grant + 1)-\#(number)""# : ""
        return #"{"access_token": "access-\#(grant + 1)-\#(number)", "token_type": "bearer", "#
            + #""expires_in": 3600\#(rotated)}"#
    }

    private func numbers(in refreshToken: String) -> (grant: Int, number: Int)? {
        let parts = refreshToken.split(separator: "-").compactMap { Int($0) }
        guard parts.count == 2, grants.indices.contains(parts[0] - 1) else { return nil }
        return (parts[0] - 1, parts[1])
    }
}

extension ModelServer.Profile {
    var hasWindow: Bool { self == .grace || self == .graceOnce }

    /// Whether a used refresh token may come again, if only it comes in time.
    var forgives: Bool { hasWindow || self == .none || self == .overlap }
}
