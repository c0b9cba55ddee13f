import OAuth
import Testing

/// One exploration: a kind of server, what we were told of it, and how much may go wrong.
struct Scenario: Sendable, CustomTestStringConvertible {
    let profile: ModelServer.Profile
    /// The account's rotation; nil for the default.
    var told: RefreshTokenRotation?
    /// Faults and other events on one path.
    var events = 2
    var rules = Rules.all

    var testDescription: String {
        "\(profile.rawValue), told \(told.map { "\($0)" } ?? "nothing")"
    }

    var start: ModelState { ModelState(profile, told: told, events: events) }

    /// Every profile, told nothing and told the truth.
    static let all = ModelServer.Profile.allCases.flatMap { profile in
        [Scenario(profile: profile), Scenario(profile: profile, told: profile.truth)]
    }
}

extension ModelServer.Profile {
    var truth: RefreshTokenRotation {
        switch self {
        case .none: .none
        case .overlap: .overlap
        case .grace, .graceOnce: .grace(seconds: ModelServer.window)
        case .strict, .strictButForgiving: .strict
        }
    }
}
