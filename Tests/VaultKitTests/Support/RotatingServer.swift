import OAuth
import Platform
import VaultCrypto
import VaultTesting

/// A token endpoint that rotates refresh tokens and kills the family of one that comes twice.
///
/// `<name>-refresh-<n>` is answered with the access and refresh token of number n + 1; behind the
/// access token stands what was asked for.
final class RotatingServer: Sendable {
    private struct State {
        /// The number of the refresh token that each family accepts.
        var current: [String: Int] = [:]
        var dead: Set<String> = []
        var requestCount = 0
        var reuseCount = 0
    }

    /// How long access tokens live.
    let lifetime: Double
    private let state: Locked<State>

    init(current: [String: Int] = [:], lifetime: Double = 3600) {
        self.lifetime = lifetime
        state = Locked(State(current: current))
    }

    var requestCount: Int { state.withLock { $0.requestCount } }
    var reuseCount: Int { state.withLock { $0.reuseCount } }

    func transport(hold: Hold? = nil) -> ScriptedTransport {
        ScriptedTransport { request in
            let answer = self.answer(to: request)
            return hold.map { answer.held(by: $0) } ?? answer
        }
    }

    func answer(to request: SentRequest) -> ScriptedAnswer {
        let refreshToken = request.refreshToken?.reveal { $0 } ?? ""
        let parts = refreshToken.split(separator: "-").map(String.init)
        guard parts.count == 3, let number = Int(parts[2]) else { return .refusal("invalid_grant") }
        let family = parts[0]
        let next: Int? = state.withLock { state in
            state.requestCount += 1
            guard !state.dead.contains(family) else { return nil }
            guard number == state.current[family] ?? 1 else {
                state.reuseCount += 1
                state.dead.insert(family)
                return nil
            }
            state.current[family] = number + 1
            return number + 1
        }
        guard let next else { return .refusal("invalid_grant") }
        let asked = ["scope", "resource"].compactMap { name in
            request.parameter(name)?.reveal { $0 }
        }
        let suffix = asked.isEmpty ? "" : "+" + asked.joined(separator: " ")
        return .grant(
            accessToken: "\(family)-access-\(next)\(suffix)",
            refreshToken: "\(family)-refresh-\(next)",
            expiresIn: lifetime
        )
    }
}
