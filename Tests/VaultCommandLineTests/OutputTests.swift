import FoundationEssentials
import Testing

@testable import VaultCommandLine

@Suite struct PrintableTests {
    @Test(
        "shows what a terminal would obey",
        arguments: [
            ("\u{1b}[2J", "\\u{1b}[2J"), ("\u{1b}]52;c;aGk=\u{7}", "\\u{1b}]52;c;aGk=\\u{7}"),
            ("\u{1b}]8;;https://e\u{1b}\\", "\\u{1b}]8;;https://e\\u{1b}\\"),
            ("a\nb", "a\\u{a}b"), ("a\rb", "a\\u{d}b"), ("a\r\nb", "a\\u{d}\\u{a}b"),
            ("a\tb", "a\\u{9}b"), ("\0", "\\u{0}"), ("\u{7f}", "\\u{7f}"), ("\u{8}", "\\u{8}"),
            // C1: one byte or two, an 8-bit terminal takes them for ESC [ and ESC ].
            ("\u{9b}31m", "\\u{9b}31m"), ("\u{9d}", "\\u{9d}"), ("\u{85}", "\\u{85}"),
            ("\u{2028}", "\\u{2028}"), ("\u{2029}", "\\u{2029}"),
            // Marks that turn the direction of writing.
            ("a\u{202e}b", "a\\u{202e}b"), ("\u{2066}x\u{2069}", "\\u{2066}x\\u{2069}"),
            ("\u{200e}\u{200f}\u{61c}", "\\u{200e}\\u{200f}\\u{61c}"),
            // What nobody sees.
            ("\u{200b}", "\\u{200b}"), ("\u{feff}", "\\u{feff}"), ("\u{ad}", "\\u{ad}"),
            ("\u{e0041}", "\\u{e0041}"), ("\u{e000}", "\\u{e000}"),
        ]
    )
    func escapes(text: String, shown: String) {
        #expect(Printable.escaped(text) == shown)
    }

    @Test(
        "leaves ordinary text alone",
        arguments: [
            "", "work", "https://as.example/a?b=c&d#e", "Grüße, Žižek", "名前", "مرحبا", "שלום",
            "e\u{301}", "🙂", "🇩🇪", "👍🏽", "👩‍💻", "می‌خواهم", "C:\\path", "a  b", "½ €",
        ]
    )
    func keeps(text: String) {
        #expect(Printable.escaped(text) == text)
    }
}

@Suite struct TimeTextTests {
    @Test(
        "says how far away a time is",
        arguments: [
            (0, "now"), (0.4, "now"), (1, "in 1 s"), (59, "in 59 s"), (119, "in 119 s"),
            (119.6, "in 2 min"), (120, "in 2 min"), (179, "in 2 min"), (3600, "in 60 min"),
            (7199, "in 119 min"), (7200, "in 2 h"), (172_799, "in 47 h"), (172_800, "in 2 days"),
            (31_536_000, "in 365 days"), (-1, "1 s ago"), (-0.4, "now"), (-120, "2 min ago"),
            (-7200, "2 h ago"), (-259_200, "3 days ago"),
        ]
    )
    func distance(seconds: Double, text: String) {
        let now = Date(timeIntervalSince1970: 1_760_000_000)
        #expect(TimeText.distance(to: now.addingTimeInterval(seconds), from: now) == text)
    }

    @Test func doesNotKnowWhatNobodySaid() {
        #expect(TimeText.distance(to: nil, from: .now) == "unknown")
    }

    @Test func survivesTheEndsOfTime() {
        let now = Date(timeIntervalSince1970: 1_760_000_000)
        #expect(TimeText.distance(to: .distantFuture, from: now).hasSuffix(" days"))
        #expect(TimeText.distance(to: .distantPast, from: now).hasSuffix(" days ago"))
        // As a column without a seal may say.
        for seconds in [Double(Int64.min), Double(Int64.max), .infinity, -.infinity, .nan] {
            let date = Date(timeIntervalSince1970: seconds)
            #expect(TimeText.distance(to: date, from: now) == "unknown")
        }
    }
}

@Suite struct TableTests {
    @Test func alignsColumnsAndLeavesTheLastOneRagged() {
        var table = Table(header: ["", "NAME", "ISSUER"])
        table.add(["*", "work", "https://as.example"])
        table.add([" ", "a-longer-name", "é"])
        #expect(
            table.text == """
                   NAME           ISSUER
                *  work           https://as.example
                   a-longer-name  é

                """
        )
    }

    @Test func isAHeaderWithoutRows() {
        #expect(Table(header: ["A", "B"]).text == "A  B\n")
    }
}
