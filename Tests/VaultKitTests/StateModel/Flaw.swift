import FoundationEssentials

@testable import VaultKit
@testable import VaultStore

/// What must never be, whatever happens in which order.
enum Flaw: String, Sendable, CaseIterable {
    case lossWithoutFault = "a login is lost though nothing failed"
    case lossThoughForgiven = "a login is lost though the server would have forgiven this fault"
    case deadAndSilent = "a login is lost and nothing that is stored says so"
    case wrongReason = "a login is lost for being sent twice, and another reason is given"
    case falseAlarm = "a sign-in is asked for though the login works"
    case tokensDropped = "a stored token is gone"
    case twoInFlight = "two requests with one refresh token are in flight"
    case sentWithoutIntent = "a refresh token is sent that was not claimed"
    case shownBeforeStored = "an access token is shown that is not stored"
    case sentElsewhere = "a refresh token is sent to somebody else"
    case readerKeptWaiting = "somebody waits for a refresh though the token is good"
    case failsForNothing = "a refresh fails though a newer pair is stored"
    case neverSettles = "an account is never asked for again"
}

extension ModelState {
    /// Everything that is wrong with this state.
    func flaws(_ rules: Rules) -> [Flaw] {
        var flaws: [Flaw] = []
        if account.tokens.refreshToken == nil || account.tokens.accessTokens.isEmpty {
            flaws.append(.tokensDropped)
        }
        if account.tokens.signInNeeded != nil, !isDead { flaws.append(.falseAlarm) }
        if hasTwoInFlight { flaws.append(.twoInFlight) }
        flaws += readerFlaws(rules)
        return isQuiet ? flaws + quietFlaws : flaws
    }

    /// Two that are waited for are always too many; with one that was given up there may be two.
    private var hasTwoInFlight: Bool {
        let awaited = workers.compactMap { worker -> String? in
            guard case .sent(let refresh, _) = worker.phase else { return nil }
            return refresh.value.refreshToken
        }
        let all = faults == 0 ? awaited + strays : awaited
        return Set(all).count < all.count
    }

    /// With nothing in hand the fate of the login shows.
    private var quietFlaws: [Flaw] {
        var flaws: [Flaw] = []
        if isDead {
            if faults == 0 { flaws.append(.lossWithoutFault) }
            if faults <= 1, server.profile.forgives, !hasMissedItsWindow {
                flaws.append(.lossThoughForgiven)
            }
            if isSilent { flaws.append(.deadAndSilent) }
            if hasWrongReason { flaws.append(.wrongReason) }
        }
        if !isSettled, account.health.due == nil || now > Self.horizon {
            flaws.append(.neverSettles)
        }
        return flaws
    }

    /// Seconds by which every path is at its end.
    private static let horizon = 4 * 3600.0

    private var hasMissedItsWindow: Bool {
        server.windowRanOut
            || server.isPastItsWindow(account.tokens.refreshToken?.text ?? "", at: now)
    }

    /// Spent, and neither flagged nor known to have been sent.
    ///
    /// A grant that a late request ended is not known to be dead before it is asked for again.
    private var isSilent: Bool {
        account.tokens.signInNeeded == nil && account.intent == nil
            && server.isSpent(account.tokens.refreshToken?.text ?? "")
    }

    private var hasWrongReason: Bool {
        guard let reason = account.tokens.signInNeeded?.reason, let reused = server.reused,
            unanswered.contains(reused)
        else { return false }
        return reason != .rotationLost && reason != .lateDuplicate
    }
}
