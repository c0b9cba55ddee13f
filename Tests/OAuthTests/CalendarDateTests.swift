import Testing

@testable import OAuth

@Suite struct CalendarDateTests {
    @Test(
        "reads ISO 8601",
        arguments: [
            ("1970-01-01T00:00:00Z", 0), ("2025-10-09T08:53:20Z", 1_760_000_000),
            ("2025-10-09t08:53:20.250z", 1_760_000_000.25),
            ("2025-10-09 10:53:20+02:00", 1_760_000_000),
            ("2025-10-09T03:23:20-0530", 1_760_000_000), ("2024-02-29T00:00:00Z", 1_709_164_800),
            ("2000-03-01T00:00:00Z", 951_868_800), ("1969-12-31T23:59:59Z", -1),
            ("9999-12-31T23:59:59Z", 253_402_300_799), ("2025-02-29T00:00:00Z", nil),
            ("1900-02-29T00:00:00Z", nil), ("2025-13-01T00:00:00Z", nil),
            ("2025-00-01T00:00:00Z", nil), ("2025-10-09T24:00:00Z", nil),
            ("2025-10-09T08:53:20", nil), ("2025-10-09", nil), ("2025-10-09T08:53Z", nil),
            ("2025-10-09T08:53:20.Z5", nil), ("", nil), ("T", nil), ("Z", nil), ("-T+", nil),
            ("2025-10-09T08:53:20+2:00", nil), ("0000-01-01T00:00:00Z", nil),
            ("99999999999-01-01T00:00:00Z", nil), ("soon", nil),
        ] as [(String, Double?)]
    )
    func iso8601(text: String, seconds: Double?) {
        #expect(CalendarDate.iso8601(text) == seconds)
    }

    @Test(
        "reads the three HTTP dates",
        arguments: [
            ("Thu, 09 Oct 2025 08:53:20 GMT", 1_760_000_000),
            ("Thursday, 09-Oct-25 08:53:20 GMT", 1_760_000_000),
            ("Thu Oct  9 08:53:20 2025", 1_760_000_000),
            ("Thu, 09 Oct 2025 08:53:20 CET", nil), ("Thu, 09 Okt 2025 08:53:20 GMT", nil),
            ("Thu, 32 Oct 2025 08:53:20 GMT", nil), ("09 Oct 2025", nil), ("", nil), (",,,", nil),
            ("Thu Oct 9 2025", nil),
        ] as [(String, Double?)]
    )
    func http(text: String, seconds: Double?) {
        #expect(CalendarDate.http(text) == seconds)
    }
}
