import FoundationEssentials
import Testing

@testable import VaultCommandLine

@Suite struct StaticAdditionTests {
    private static let now = Date(timeIntervalSince1970: 1_760_000_000)

    @Test(
        "the end of a static token is a day or a time to come",
        arguments: [
            ("2027-01-31", 1_801_353_600), ("2027-01-31T12:00:00Z", 1_801_396_800),
            ("2027-01-31T12:00:00+02:00", 1_801_389_600), ("2025-10-09", nil), ("2027-02-30", nil),
            ("tomorrow", nil), ("", nil), ("2027-01-31T12:00:00", nil),
        ] as [(String, Double?)]
    )
    func date(text: String, seconds: Double?) {
        let date = try? StaticAddition.date(text, after: Self.now)
        #expect(date?.timeIntervalSince1970 == seconds)
    }

    @Test("--static takes none of a client's options")
    func options() throws {
        for words in [
            ["key", "--static", "--client-id", "c"], ["key", "--static", "--renewal", "eager"],
            ["--static"], ["key", "--static", "--expires", "2001-01-01"],
        ] {
            var arguments = ArgumentReader(words)
            #expect(throws: UsageError.self) { try AddCommand(&arguments) }
        }
        var arguments = ArgumentReader(
            ["key", "--static", "--expires", "9999-01-01", "--issuer", "https://as.example"]
                + ["--tag", "a", "--replace"]
        )
        _ = try AddCommand(&arguments)
    }
}
