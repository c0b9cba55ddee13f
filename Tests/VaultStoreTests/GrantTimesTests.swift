import FoundationEssentials
import OAuth
import Testing
import VaultCrypto

@testable import VaultStore

@Suite struct GrantTimesTests {
    private static let day = 86_400.0
    private static let start = Fixture.now

    private func date(_ days: Double) -> Date { Self.start.addingTimeInterval(days * Self.day) }

    /// A refresh: when, in days, whether another refresh token came, and the days it was told to last.
    struct Refresh: Sendable {
        var at: Double
        var isRotated = true
        var told: Double?
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        /// Days, as told at the sign-in.
        let told: Double?
        let refreshes: [Refresh]
        /// Day of the end that is known afterwards.
        let end: Double?
        let isFixed: Bool

        var testDescription: String { name }
    }

    @Test(
        "cli D13: an end that refreshing moves is told from one that it does not",
        arguments: [
            Row(
                name: "nobody said",
                told: nil,
                refreshes: [Refresh(at: 1)],
                end: nil,
                isFixed: false
            ),
            Row(name: "told at sign-in", told: 90, refreshes: [], end: 90, isFixed: false),
            Row(
                name: "a full life each time",
                told: 90,
                refreshes: [Refresh(at: 1, told: 90), Refresh(at: 2, told: 90)],
                end: 92,
                isFixed: false
            ),
            Row(
                name: "it counts down",
                told: 365,
                refreshes: [
                    Refresh(at: 60, isRotated: false, told: 305),
                    Refresh(at: 120, isRotated: false, told: 245),
                ],
                end: 365,
                isFixed: true
            ),
            Row(
                name: "it counts down over new refresh tokens",
                told: 90,
                refreshes: [Refresh(at: 1, told: 89)],
                end: 90,
                isFixed: true
            ),
            Row(
                name: "told once, and kept",
                told: 7,
                refreshes: [Refresh(at: 1, isRotated: false), Refresh(at: 2, isRotated: false)],
                end: 7,
                isFixed: true
            ),
            Row(
                name: "another one came, and nobody said of it",
                told: 7,
                refreshes: [Refresh(at: 1)],
                end: nil,
                isFixed: false
            ),
            Row(
                name: "the end stays over new refresh tokens of which nothing is said",
                told: 90,
                refreshes: [Refresh(at: 1, told: 89), Refresh(at: 2)],
                end: 90,
                isFixed: true
            ),
            Row(
                name: "two at once do not tell",
                told: 90,
                refreshes: [Refresh(at: 0, told: 90)],
                end: 90,
                isFixed: false
            ),
            Row(
                name: "what was fixed is told to last longer",
                told: 7,
                refreshes: [Refresh(at: 1, isRotated: false), Refresh(at: 2, told: 7)],
                end: 9,
                isFixed: false
            ),
        ]
    )
    func refreshing(row: Row) {
        var times = GrantTimes(signedIn: Self.start, lifetime: row.told.map { $0 * Self.day })
        for refresh in row.refreshes {
            times = times.refreshed(
                sent: date(refresh.at),
                isRotated: refresh.isRotated,
                told: refresh.told.map { $0 * Self.day }
            )
        }
        #expect(times.began == Self.start)
        #expect(times.toldEnd == row.end.map(date))
        #expect((times.end != nil) == row.isFixed)
        #expect(times.lifetime == nil || !row.isFixed)
    }

    @Test("cli D13, server E10: a person hears two weeks before, or a quarter of the life")
    func notices() {
        for (life, days) in [
            (365, 14), (56, 14), (28, 7), (7, 1.75), (nil, 14), (1, 0.25),
        ] as [(Double?, Double)] {
            let end = GrantEnd(date: date(365), life: life.map { $0 * Self.day })
            #expect(end.notice == date(365 - days))
        }
        #expect(GrantEnd(date: date(1), life: 1800).notice == nil)
    }

    @Test func theEarliestEndIsTheGrants() throws {
        var tokens = Fixture.tokens("a")
        let linkedIn = try #require(ProviderCatalogue.builtIn["linkedin"])
        #expect(tokens.grantEnd(linkedIn) == nil)
        tokens.grant = GrantTimes(signedIn: Self.start, lifetime: 10 * Self.day)
        #expect(tokens.grantEnd(nil) == GrantEnd(date: date(10), life: 10 * Self.day))
        #expect(tokens.grantEnd(linkedIn)?.date == date(10))
        tokens.grant = GrantTimes(signedIn: Self.start, lifetime: nil)
        #expect(tokens.grantEnd(nil) == nil)
        #expect(tokens.grantEnd(linkedIn) == GrantEnd(date: date(365), life: 365 * Self.day))
        tokens.refreshToken = nil
        #expect(tokens.grantEnd(linkedIn) == nil)
    }

    @Test("the record has what is known, and one of before reads on", arguments: 0..<16)
    func records(mask: Int) throws {
        func date(_ bit: Int) -> Date? {
            mask & bit == 0 ? nil : Self.start.addingTimeInterval(Double(bit))
        }
        var tokens = Fixture.tokens("a")
        tokens.timesKept = 2
        tokens.grant = GrantTimes(
            began: date(1),
            obtained: date(2),
            lifetime: date(4).map { _ in 7_776_000 },
            end: date(8)
        )
        let encoded = TokenRecord.encode(tokens)
        #expect(try TokenRecord.decode(encoded) == tokens)
        #expect(try TokenRecord.tokens(SealedJSON(decoding: encoded)) == tokens)
        // The one pass reads it too.
        #expect(try encoded.withBytes { try UsualRecord.tokens($0) } == tokens)
        let token = try encoded.withBytes { try UsualRecord.accessToken($0).accessToken }
        #expect(token == tokens.defaultToken)
        tokens.grant = nil
        #expect(!TokenRecord.encode(tokens).reveal { $0.contains("grant") })
        #expect(try TokenRecord.decode(TokenRecord.encode(tokens)) == tokens)
    }
}
