import OAuth
import Testing

@Suite struct ScopeTests {
    @Test(
        "splits at blanks, keeps the order, drops repetitions",
        arguments: [
            ("", []), ("a", ["a"]), ("  a  b ", ["a", "b"]), ("b a b", ["b", "a"]),
            ("a,b c", ["a,b", "c"]), ("a\tb\nc", ["a", "b", "c"]),
            ("a \u{301}b", ["a", "\u{301}b"]), ("a\n\u{301}b", ["a", "\u{301}b"]),
        ]
    )
    func parse(text: String, names: [String]) {
        let scope = Scope(parsing: text)
        #expect(scope.names == names)
        #expect(scope.text == names.joined(separator: " "))
        #expect(scope.isEmpty == names.isEmpty)
    }

    @Test func comparesAsASet() {
        let scope = Scope(["a", "b", "c"])
        #expect(scope.isSuperset(of: Scope(["c", "a"])))
        #expect(!scope.isSuperset(of: Scope(["d"])))
        #expect(scope.contains("b"))
        #expect(!scope.contains("B"))
    }
}
