/// How often the token endpoint is asked whether a device code has been approved (RFC 8628 §3.5).
///
/// Without clock and sockets: each answer comes in, and what to do next comes out.
package struct DevicePolling: Sendable {
    /// What comes after an answer.
    package enum Step: Sendable {
        /// Ask again after so many seconds.
        case wait(Double)
        case granted(TokenResponse)
        /// Nothing will come of it any more.
        case failed(TokenEndpointError)
    }

    /// Seconds between polls.
    package private(set) var interval: Double
    /// Polls without an answer that said anything, one after the other.
    private var silences = 0

    /// RFC 8628 §3.5: by so many seconds, for this and all later polls.
    private static let slowDown = 5.0
    private static let shortestInterval = 1.0
    /// A server that does not answer is asked at least this often, in seconds, unless its own interval
    /// is longer.
    private static let longestSilence = 60.0

    package init(_ authorization: DeviceAuthorization) {
        interval = max(authorization.interval, Self.shortestInterval)
    }

    /// What comes after an answer.
    package mutating func step(after answer: TokenAnswer) -> Step {
        let error: TokenEndpointError
        switch answer {
        case .granted(let response): return .granted(response)
        case .refused(let refusal): error = refusal
        }
        switch error.class {
        case .authorizationPending:
            silences = 0
            return .wait(interval)
        case .slowDown:
            silences = 0
            interval = max(interval + Self.slowDown, error.interval ?? 0)
            return .wait(interval)
        case .throttled:
            return .wait(max(waitAfterSilence(), error.retryAfter ?? 0))
        // A 2xx that nobody can read may have been the tokens; there are no others for this code.
        case .ambiguous where !(200..<300).contains(error.status):
            return .wait(waitAfterSilence())
        default:
            return .failed(error)
        }
    }

    /// Seconds to wait after a poll without an answer: twice as long each time.
    package mutating func waitAfterSilence() -> Double {
        silences += 1
        let longest = max(interval, Self.longestSilence)
        var wait = interval
        for _ in 0..<min(silences, 16) { wait = min(wait * 2, longest) }
        return wait
    }
}
