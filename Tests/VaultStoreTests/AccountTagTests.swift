import Testing

@testable import VaultStore

@Suite struct AccountTagTests {
    @Test(arguments: [
        "a", "customer 7", "a  b", "-x", "a:b=c/d", "é", "e\u{301}", "\u{1F511}", "👩‍💻", "日本",
        String(repeating: "x", count: 128), String(repeating: "é", count: 64),
    ])
    func aTagIsTakenAsItIs(_ text: String) {
        #expect(AccountTag(text)?.text == text)
    }

    @Test(arguments: [
        "", " ", " a", "a ", "a\t", "\u{a0}a", "a\u{3000}", "a\nb", "a\r\nb", "a\0b", "\u{7f}",
        "a\u{85}b", "a\u{9b}b", "a\u{2028}b", "a\u{2029}b", "\u{1B}[2J",
        String(repeating: "x", count: 129), String(repeating: "é", count: 65),
    ])
    func anythingElseIsNone(_ text: String) {
        #expect(AccountTag(text) == nil)
        #expect(throws: VaultError(.invalidInput)) { try AccountTag.checked(["a", text]) }
    }

    @Test func tagsAreComparedByTheirBytes() {
        // To Swift the two texts are equal.
        let composed: AccountTag = "caf\u{e9}"
        let decomposed: AccountTag = "cafe\u{301}"
        #expect(composed.text == decomposed.text)
        #expect(composed != decomposed)
        #expect(Set([composed, decomposed, "caf\u{e9}"]).count == 2)
        let tags: [AccountTag] = ["b", "a.", "Z", "é", "a", "0"]
        #expect(tags.sorted().map(\.text) == ["0", "Z", "a", "a.", "b", "é"])
    }

    @Test func aLiteralThatIsNoTagTraps() async {
        await #expect(processExitsWith: .failure) {
            let tag: AccountTag = " no tag"
            _ = tag
        }
    }
}
