internal import FoundationEssentials
internal import VaultSQLite

/// Has the accounts refresh that wait for their client, once it is mended: a few thousand in one
/// transaction, which is somebody's install, and more with the successes after it.
///
/// It is in memory alone: whoever is not called comes back by itself.
struct WaitingCall {
    /// When the client was mended: who failed later waits for something else.
    let mended: Date
    /// When more may be called.
    var next: Date
    /// The last that was called, in the order of the index.
    var last = Place(state: "", since: 0, number: 0)

    struct Place {
        var state: String
        var since: Int64
        var number: Int64
    }

    /// Accounts called within one transaction: as many as take it some milliseconds.
    static let batch = 2000
    /// Accounts called within one second while there are fewer than a batch.
    fileprivate static let fewPerSecond = 20
    /// The same while there are more.
    fileprivate static let manyPerSecond = 300
}

extension VaultFile {
    /// Calls those that wait when a client is mended, and more of them at each success after it.
    func callWaiting(
        _ client: [UInt8],
        from old: ClientState,
        to new: ClientState,
        at now: Date
    ) throws {
        guard new.breaker == nil else { return calls[client] = nil }
        if old.breaker != nil { calls[client] = WaitingCall(mended: now, next: now) }
        guard let call = calls[client], call.next <= now else { return }
        calls[client] = try callMore(of: client, call, at: now)
    }

    /// Calls one batch; what is left to do, if anything is.
    private func callMore(
        of client: [UInt8],
        _ call: WaitingCall,
        at now: Date
    ) throws -> WaitingCall? {
        let batch = try batch(of: client, call)
        let isFull = batch.count == WaitingCall.batch
        let perSecond = isFull ? WaitingCall.manyPerSecond : WaitingCall.fewPerSecond
        let seconds = batch.count / perSecond + 1
        var update = try connection.prepare(
            """
            UPDATE account SET due_at = min(due_at, ?6 + number % ?7) \
            WHERE number IN (SELECT number \(Self.waiting)) \
            AND failure IN ('client_refused', 'mass_refusal') AND failed_at <= ?8 \
            AND due_at IS NOT NULL
            """
        )
        bind(client, call, to: &update)
        update.bind(now.unixSeconds, at: 6)
        update.bind(Int64(seconds), at: 7)
        update.bind(call.mended.unixSeconds, at: 8)
        try update.run()
        guard isFull, let last = batch.last else { return nil }
        var rest = call
        rest.last = last
        rest.next = now.addingTimeInterval(Double(seconds))
        return rest
    }

    /// The next accounts that may be waiting.
    ///
    /// None in a state that wants a person is among them. The names of the two states are
    /// neighbours, so the index has them in one range.
    private static let waiting = """
        FROM account WHERE client_hash = ?1 \
        AND state BETWEEN 'backing_off' AND 'client_refused' \
        AND (state, state_since, number) > (?2, ?3, ?4) \
        ORDER BY state, state_since, number LIMIT ?5
        """

    private func bind(_ client: [UInt8], _ call: WaitingCall, to statement: inout Statement) {
        statement.bind(client, at: 1)
        statement.bind(call.last.state, at: 2)
        statement.bind(call.last.since, at: 3)
        statement.bind(call.last.number, at: 4)
        statement.bind(Int64(WaitingCall.batch), at: 5)
    }

    private func batch(of client: [UInt8], _ call: WaitingCall) throws -> [WaitingCall.Place] {
        var select = try connection.prepare("SELECT state, state_since, number \(Self.waiting)")
        bind(client, call, to: &select)
        var places: [WaitingCall.Place] = []
        while try select.step() {
            places.append(
                WaitingCall.Place(
                    state: select.text(at: 0),
                    since: select.integer(at: 1),
                    number: select.integer(at: 2)
                )
            )
        }
        return places
    }
}
