import OAuth
import Testing
import VaultCrypto

@Suite struct FormDecodingTests {
    @Test(
        "decodes once",
        arguments: [
            ("", []), ("a=b", ["a", "b"]), ("a=b&c=d", ["a", "b", "c", "d"]),
            ("a", ["a", ""]), ("a=", ["a", ""]), ("=b", ["", "b"]), ("&&a=1&", ["a", "1"]),
            ("a=b=c", ["a", "b=c"]), ("a+b=%2B+%252B", ["a b", "+ %2B"]),
            ("%61=%c3%A9", ["a", "é"]),
            ("a;b=c", ["a;b", "c"]), ("a=%", nil), ("a=%4", nil), ("a=%4&b=1", nil),
            ("%zz=1", nil),
        ] as [(String, [String]?)]
    )
    func decode(text: String, expected: [String]?) {
        let pairs = FormDecoding.pairs(text.utf8.span)
        #expect(pairs?.flatMap { [$0.name, $0.value.reveal { $0 }] } == expected)
    }
}
