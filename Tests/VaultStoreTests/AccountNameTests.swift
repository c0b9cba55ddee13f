import Testing

@testable import VaultStore

@Suite struct AccountNameTests {
    @Test(arguments: [
        "a", "Z", "0", "work", "me@example.org", "a.b_c-d+e", String(repeating: "x", count: 128),
    ])
    func aNameIsTakenAsItIs(_ text: String) {
        #expect(AccountName(text)?.text == text)
    }

    @Test(arguments: [
        "", " ", "-x", "--", ".", "..", "../x", "_a", "@", "+", "a b", "a/b", "a\\b", "a\nb",
        "a\rb",
        "a\0", "a\u{2028}b", "\u{1B}[2J", "caf\u{e9}", "cafe\u{301}", "\u{0430}", "a:b", "a=b",
        "a%0a",
        String(repeating: "x", count: 129),
    ])
    func anythingElseIsNone(_ text: String) {
        #expect(AccountName(text) == nil)
    }

    @Test func namesAreOrderedByTheirBytes() {
        let names: [AccountName] = ["b", "a.", "Z", "a-", "a", "0"]
        #expect(names.sorted().map(\.text) == ["0", "Z", "a", "a-", "a.", "b"])
    }

    @Test func aLiteralThatIsNoNameTraps() async {
        await #expect(processExitsWith: .failure) {
            let name: AccountName = "not a name"
            _ = name
        }
    }
}
