package import FoundationEssentials
package import OAuth

/// A limit of requests as a pace: the generic cell rate algorithm (ITU-T I.371).
///
/// Each request pays for its share of the time, and what is paid for may lie ahead of now by a
/// tolerance. With shares of 1.1 W / (N - 1) and a tolerance of at most 0.1 W no window W has more
/// than N requests, wherever it begins. Of the tolerance a hundredth of W is left for requests that
/// take a while from their claim to the server.
extension RequestLimit {
    /// Seconds that a request pays for.
    package var share: Double { 1.1 * seconds / Double(max(requests - 1, 1)) }

    /// Seconds that a request may come before its share begins.
    ///
    /// Those that were planned keep to the pace, all but the scheduler's own rounds: what else is left
    /// is for callers who wait.
    private func tolerance(isPlanned: Bool) -> Double {
        let tolerance = requests > 1 ? 0.09 * seconds : 0
        return isPlanned ? min(tolerance / 2, 0.25) : tolerance
    }

    /// Seconds until one more may be sent; nil when it may be now.
    ///
    /// No seal covers the time, and the wall clock may have been set back since: one that no requests
    /// can have led to is passed over.
    package func wait(paidUntil: Date?, isPlanned: Bool, at now: Date) -> Double? {
        guard let ahead = ahead(paidUntil, at: now) else { return nil }
        let wait = ahead - tolerance(isPlanned: isPlanned)
        return wait > 0 ? wait : nil
    }

    /// Until when requests are paid for once one more is sent.
    func paid(after paidUntil: Date?, at now: Date) -> Date {
        now.addingTimeInterval(max(ahead(paidUntil, at: now) ?? 0, 0) + share)
    }

    private func ahead(_ paidUntil: Date?, at now: Date) -> Double? {
        guard let ahead = paidUntil?.timeIntervalSince(now),
            ahead <= share + tolerance(isPlanned: false) + 1
        else { return nil }
        return ahead
    }
}

/// One request of those that a limit allows, taken together with the claim that it is for.
package struct RequestPayment: Sendable, Hashable {
    package var limit: RequestLimit
    package var isPlanned: Bool
    package var at: Date

    package init(limit: RequestLimit, isPlanned: Bool, at: Date) {
        self.limit = limit
        self.isPlanned = isPlanned
        self.at = at
    }
}

/// What a claim takes along in its transaction, or is not made.
package struct ClaimTurn: Sendable, Hashable {
    package var breaker: BreakerTurn?
    package var payment: RequestPayment?

    package init(breaker: BreakerTurn? = nil, payment: RequestPayment? = nil) {
        self.breaker = breaker
        self.payment = payment
    }
}

extension ClientState {
    /// Seconds until the limit of requests allows one more; nil when it does now.
    package func limitWait(isPlanned: Bool, at now: Date) -> Double? {
        limit.flatMap { $0.wait(paidUntil: paidUntil, isPlanned: isPlanned, at: now) }
    }
}
