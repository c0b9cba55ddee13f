internal import FoundationEssentials
package import OAuth
internal import VaultCrypto
internal import VaultSQLite

/// How the clients fare: reading and writing their rows.
extension VaultFile {
    /// How the client of these settings fares.
    package func clientState(of settings: AccountSettings) throws -> ClientState {
        var state = try clientState(ClientHashes(settings, keyring()))
        state.limit = requestLimit(of: settings)
        return state
    }

    /// How many requests the host takes that these settings refresh at; nil where that has no limit.
    package func requestLimit(of settings: AccountSettings) -> RequestLimit? {
        hostLimits.limit(for: settings)
    }

    func clientState(_ hashes: ClientHashes) throws -> ClientState {
        var state = try clientRow(hashes.client) ?? ClientState()
        let host = try clientRow(hashes.host)
        (state.pausedUntil, state.paidUntil) = (host?.pausedUntil, host?.paidUntil)
        return state
    }

    /// Changes how a client fares, within the transaction of what it follows from.
    func update(
        _ hashes: ClientHashes,
        at now: Date,
        _ change: (inout ClientState) throws -> Void
    ) throws {
        let old = try clientState(hashes)
        var new = old
        try change(&new)
        if new.pausedUntil != old.pausedUntil {
            var host = ClientState()
            (host.pausedUntil, host.paidUntil) = (new.pausedUntil, old.paidUntil)
            try write(host, as: hashes.host)
        }
        new.pausedUntil = old.pausedUntil
        try callWaiting(hashes.client, from: old, to: new, at: now)
        guard new != old else { return }
        (new.pausedUntil, new.paidUntil) = (nil, nil)
        try write(new, as: hashes.client)
    }

    /// Takes the one try of an open breaker; false when another has it, or the breaker is closed.
    func take(_ turn: BreakerTurn, _ hashes: ClientHashes, for account: AccountID) throws -> Bool {
        var update = try connection.prepare(
            """
            UPDATE client SET next_try = ?3, last_tried = ?4 \
            WHERE hash = ?1 AND breaker IS NOT NULL AND next_try = ?2
            """
        )
        update.bind(hashes.client, at: 1)
        update.bind(turn.due.unixSeconds, at: 2)
        update.bind(turn.next.unixSecondsNotEarlier, at: 3)
        update.bind(account.bytes, at: 4)
        try update.run()
        return connection.changes == 1
    }

    /// Takes one request of those that a limit allows; false when it has to wait.
    func pay(_ payment: RequestPayment, _ hashes: ClientHashes) throws -> Bool {
        let (limit, now) = (payment.limit, payment.at)
        let paid = try clientRow(hashes.host)?.paidUntil
        guard limit.wait(paidUntil: paid, isPlanned: payment.isPlanned, at: now) == nil else {
            return false
        }
        var insert = try connection.prepare(
            """
            INSERT INTO client (hash, paid_until) VALUES (?1, ?2) \
            ON CONFLICT (hash) DO UPDATE SET paid_until = ?2
            """
        )
        insert.bind(hashes.host, at: 1)
        insert.bind(limit.paid(after: paid, at: now).unixMilliseconds, at: 2)
        try insert.run()
        return true
    }

    private func clientRow(_ hash: [UInt8]) throws -> ClientState? {
        var select = try connection.prepare(
            """
            SELECT paused_until, refused_accounts, breaker, breaker_since, next_try, last_tried, \
            retries_granted, retries_refused, grants_refused, grants_refused_since, paid_until \
            FROM client WHERE hash = ?1
            """
        )
        select.bind(hash, at: 1)
        guard try select.step() else { return nil }
        var state = ClientState()
        state.pausedUntil = select.optionalInteger(at: 0).map { Date(unixSeconds: $0) }
        let refused = select.blob(at: 1)
        state.refused = stride(from: 0, to: refused.count, by: 16).compactMap { start in
            AccountID(Array(refused[start..<min(start + 16, refused.count)]))
        }
        if let reason = select.optionalText(at: 2).flatMap({
            ClientState.Breaker.Reason(rawValue: $0)
        }) {
            state.breaker = ClientState.Breaker(
                reason: reason,
                since: Date(unixSeconds: select.integer(at: 3)),
                nextTry: Date(unixSeconds: select.integer(at: 4)),
                lastTried: select.optionalBlob(at: 5).flatMap { AccountID($0) }
            )
        }
        state.retries = ClientState.Retries(
            granted: Int(select.integer(at: 6)),
            refused: Int(select.integer(at: 7))
        )
        state.refusedGrants = ClientState.RefusedGrants(
            count: Int(select.integer(at: 8)),
            since: select.optionalInteger(at: 9).map { Date(unixSeconds: $0) }
        )
        state.paidUntil = select.optionalInteger(at: 10).map { milliseconds in
            Date(timeIntervalSince1970: Double(milliseconds) / 1000)
        }
        return state
    }

    private func write(_ state: ClientState, as hash: [UInt8]) throws {
        var insert = try connection.prepare(
            """
            INSERT OR REPLACE INTO client (hash, paused_until, refused_accounts, breaker, \
            breaker_since, next_try, last_tried, retries_granted, retries_refused, \
            grants_refused, grants_refused_since, paid_until) \
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)
            """
        )
        insert.bind(hash, at: 1)
        insert.bind(state.pausedUntil?.unixSecondsNotEarlier, at: 2)
        insert.bind(state.refused.flatMap(\.bytes), at: 3)
        insert.bind(state.breaker?.reason.rawValue, at: 4)
        insert.bind(state.breaker?.since.unixSeconds, at: 5)
        insert.bind(state.breaker?.nextTry.unixSecondsNotEarlier, at: 6)
        insert.bind(state.breaker?.lastTried?.bytes, at: 7)
        insert.bind(Int64(state.retries.granted), at: 8)
        insert.bind(Int64(state.retries.refused), at: 9)
        insert.bind(Int64(state.refusedGrants.count), at: 10)
        insert.bind(state.refusedGrants.since?.unixSeconds, at: 11)
        insert.bind(state.paidUntil?.unixMilliseconds, at: 12)
        try insert.run()
    }
}

extension Date {
    /// Whole milliseconds since 1970, rounded up: what is paid for is paid in full.
    fileprivate var unixMilliseconds: Int64 {
        Int64(exactly: (timeIntervalSince1970 * 1000).rounded(.up)) ?? 0
    }
}

/// The hashes under which a client's rows are found.
struct ClientHashes: Sendable {
    let client: [UInt8]
    let host: [UInt8]

    init(_ settings: AccountSettings, _ keyring: Keyring) {
        let (id, endpoint) = (settings.client.id.rawValue, settings.refreshEndpoint)
        client = keyring.clientHash(of: id, at: .endpoint(endpoint.string))
        host = keyring.clientHash(of: id, at: .host(endpoint.host))
    }
}
