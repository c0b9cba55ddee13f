import FoundationEssentials
import Platform
import Testing
import VaultCrypto
import VaultStore

@testable import VaultKit

/// One row: who asks, what is stored, what comes of it.
struct LookupRow: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let account: StoredAccount
    var minimumLifetime: Double?
    var newerThan: UInt64?
    let expected: Outcome

    /// What a decision comes to.
    enum Outcome: Sendable, Equatable {
        case serves(AccessToken.Warning?)
        case refreshes
        case fails(VaultError.Code)
    }

    init(
        _ description: String,
        _ account: StoredAccount,
        minimum: Double? = nil,
        newerThan: UInt64? = nil,
        _ expected: Outcome
    ) {
        testDescription = description
        self.account = account
        minimumLifetime = minimum
        self.newerThan = newerThan
        self.expected = expected
    }

    static let all: [LookupRow] = fresh + dying + failing + dead

    private static let fresh = [
        LookupRow("a good token", .fixture(), .serves(nil)),
        LookupRow("an unknown expiry", .fixture(lifetime: nil, age: 1e6), .serves(nil)),
        LookupRow("a minimum that is met", .fixture(age: 1800), minimum: 1800, .serves(nil)),
        LookupRow("D02: a minimum that is not", .fixture(age: 2400), minimum: 1800, .refreshes),
        LookupRow("a rejected generation", .fixture(age: 5), newerThan: 7, .refreshes),
        LookupRow("C10: one that just came", .fixture(age: 4.9), newerThan: 7, .serves(nil)),
        LookupRow("the clock was set back since", .fixture(age: -1), newerThan: 7, .refreshes),
        LookupRow("a rejected generation of another line", .fixture(), newerThan: 8, .serves(nil)),
        LookupRow("the last of them all", .fixture(), newerThan: .max, .serves(nil)),
        LookupRow("SF-06: an older rejected one", .fixture(), newerThan: 6, .serves(nil)),
        LookupRow("no refresh token", .fixture(refreshToken: nil), .serves(nil)),
        LookupRow(
            "a minimum that no fresh token meets, just refreshed",
            .fixture(age: 1),
            minimum: 7200,
            .fails(.lifetimeTooShort)
        ),
        LookupRow(
            "such a minimum, some time later",
            .fixture(age: 31),
            minimum: 7200,
            .refreshes
        ),
    ]

    private static let dying = [
        LookupRow("D01: seconds left", .fixture(age: 3595), .refreshes),
        LookupRow("expired", .fixture(age: 3601), .refreshes),
        LookupRow("cli D10: expired for days", .fixture(age: 3e5), .refreshes),
        LookupRow(
            "no refresh token, seconds left",
            .fixture(age: 3590, refreshToken: nil),
            .serves(.signInNeeded)
        ),
        LookupRow(
            "no refresh token, expired: a flight writes that down, and fails",
            .fixture(age: 3601, refreshToken: nil),
            .refreshes
        ),
    ]

    private static let failing = [
        LookupRow(
            "backing off with a good token",
            .fixture(failure: "unreachable", dueIn: 60),
            .serves(nil)
        ),
        LookupRow(
            "B01: backing off, seconds left",
            .fixture(age: 3590, failure: "unreachable", dueIn: 60),
            .serves(.refreshFailing)
        ),
        LookupRow(
            "backing off, a moment left",
            .fixture(age: 3597, failure: "unreachable", dueIn: 60),
            .fails(.unreachable)
        ),
        LookupRow(
            "backing off, a minimum is asked for",
            .fixture(age: 3590, failure: "outcome_unknown", dueIn: 60),
            minimum: 30,
            .fails(.outcomeUnknown)
        ),
        LookupRow(
            "backing off after a 401",
            .fixture(age: 10, failure: "throttled", dueIn: 60),
            newerThan: 7,
            .fails(.throttled)
        ),
        LookupRow(
            "the back-off is over",
            .fixture(age: 3590, failure: "unreachable", dueIn: -1),
            .refreshes
        ),
        LookupRow(
            "E6: the failure lies in the future: the wall clock was set back",
            .fixture(age: 3601, failure: "unreachable", failedBefore: -7200, dueIn: 7260),
            .refreshes
        ),
        LookupRow(
            "a back-off longer than any is a hint that lies",
            .fixture(age: 3601, failure: "unreachable", dueIn: 1e9),
            .refreshes
        ),
    ]

    private static let dead = [
        LookupRow(
            "server D16: a dead grant, a good token",
            .fixture(signInNeeded: .grantRefused),
            .serves(.signInNeeded)
        ),
        LookupRow(
            "server D16: a dead grant, seconds left",
            .fixture(age: 3590, signInNeeded: .grantRefused),
            .serves(.signInNeeded)
        ),
        LookupRow(
            "a dead grant, expired",
            .fixture(age: 3601, signInNeeded: .grantRefused),
            .fails(.signInNeeded)
        ),
        LookupRow(
            "a dead grant after a 401",
            .fixture(age: 10, signInNeeded: .grantRefused),
            newerThan: 7,
            .fails(.signInNeeded)
        ),
    ]
}

@Suite struct TokenLookupTests {
    @Test("what a caller gets", arguments: LookupRow.all)
    func decides(_ row: LookupRow) {
        let lookup = TokenLookup(
            minimumLifetime: row.minimumLifetime,
            newerThan: row.newerThan,
            now: .fixed
        )
        switch lookup.decide(row.account) {
        case .serve(let token):
            #expect(row.expected == .serves(token.warning))
            #expect(token.generation == 7)
        case .refresh(let generation):
            #expect(row.expected == .refreshes)
            #expect(generation == 7)
        case .fail(let error):
            #expect(row.expected == .fails(error.code))
            #expect(error.account == "work")
        }
    }

    @Test("a caller who is turned away learns how long to wait")
    func retryAfter() {
        let lookup = TokenLookup(minimumLifetime: nil, newerThan: nil, now: .fixed)
        let account = StoredAccount.fixture(age: 3601, failure: "throttled", dueIn: 59.2)
        guard case .fail(let error) = lookup.decide(account) else {
            Issue.record("it did not fail")
            return
        }
        #expect(error.retryAfter == 60)
    }

    @Test(
        "the stored token is served while it lives, then the one that is not stored yet",
        arguments: [
            (0.0, nil, "old"), (3590, nil, "old"), (3597, nil, "new"), (3601, nil, "new"),
            (3590, 600, "new"),
        ] as [(Double, Double?, String)]
    )
    func unsaved(age: Double, minimum: Double?, expected: String) throws {
        let old = StoredAccount.fixture(age: age)
        var new = StoredAccount.fixture()
        new.generation = 8
        new.tokens.accessTokens[0].value = Secret("new")
        let lookup = TokenLookup(minimumLifetime: minimum, newerThan: nil, now: .fixed)
        let token = try lookup.unsaved(old: old, new: new)
        #expect(token.warning == .notSaved)
        #expect(token.generation == (expected == "old" ? 7 : 8))
    }

    @Test("what nothing seals does not send a person to a sign-in")
    func unsealedFailure() {
        let account = StoredAccount.fixture(age: 3601, failure: "sign_in_needed", dueIn: 60)
        #expect(account.obstacle(at: .fixed)?.code == .outcomeUnknown)
        #expect(account.obstacle(at: .fixed)?.retryAfter == 60)
    }
}
