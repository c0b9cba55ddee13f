import OAuth
import Testing
import VaultCrypto

@Suite struct JSONReaderTests {
    @Test(
        "reads values",
        arguments: [
            ("null", .null), ("true", .bool(true)), (" false ", .bool(false)), ("0", .number("0")),
            ("-0.5e+10", .number("-0.5e+10")), (#""""#, .string(Secret(""))),
            (#""a\"\\\/\b\f\n\r\t\u0041\u00e9""#, .string(Secret("a\"\\/\u{8}\u{c}\n\r\tAé"))),
            (#""\ud83d\ude0a""#, .string(Secret("\u{1f60a}"))),
            (#""\ud83d!\ude0a""#, .string(Secret("\u{fffd}!\u{fffd}"))),
            (#""\ud83d\u0041""#, .string(Secret("\u{fffd}A"))),
            ("[]", .array([])), ("[1 , [ ] ]", .array([.number("1"), .array([])])),
            ("{}", .object([:])), (#"{"a":1,"a":2}"#, .object(["a": .number("2")])),
            ("\u{feff}{}", .object([:])),
        ] as [(String, JSONValue)]
    )
    func reads(text: String, value: JSONValue) {
        let result = JSONReader.read(Secret(text))
        #expect(result.isComplete)
        #expect(result.value == value)
    }

    @Test(
        "refuses what is not JSON",
        arguments: [
            "", " ", "{", "}", "[", "[1", "[1,", "[1,]", "{,}", #"{"a"}"#, #"{"a":}"#, #"{"a":1,}"#,
            "{a:1}", "{'a':1}", "01", "-", "1.", ".5", "1e", "+1", "0x1", "NaN", "Infinity", "tru",
            "nulll", #"""#, #""\"#, #""\x""#, #""\u12""#, #""\u12g4""#, "\"\n\"", "1 2", "{}{}",
            "/**/1", "\u{feff}\u{feff}{}",
        ]
    )
    func refuses(text: String) {
        #expect(!JSONReader.read(Secret(text)).isComplete)
    }

    @Test(
        "keeps the members that were whole before a break",
        arguments: [
            (#"{"a":"1","b":"2"#, ["a"]), (#"{"a":"1","b":"2""#, ["a", "b"]),
            (#"{"a":"1","b":{"c":"3"}"#, ["a", "b"]), (#"{"a":{"c":"3""#, []), (#"["a"#, []),
        ]
    )
    func keeps(text: String, names: [String]) {
        let result = JSONReader.read(Secret(text))
        #expect(!result.isComplete)
        #expect(result.value.object?.keys.sorted() == names)
    }

    @Test func endsAtItsDepth() {
        let deep = { (count: Int) in
            Secret(String(repeating: "[", count: count) + String(repeating: "]", count: count))
        }
        #expect(JSONReader.read(deep(256)).isComplete)
        #expect(!JSONReader.read(deep(257)).isComplete)
        #expect(!JSONReader.read(deep(500_000)).isComplete)
    }

    @Test(
        "gives numbers that are numbers",
        arguments: [
            (.number("1e3"), 1000), (.number("1e400"), nil), (.number("-0"), 0),
            (.string(Secret(" 12.5 ")), 12.5), (.string(Secret("")), nil),
            (.string(Secret("nan")), nil), (.string(Secret("Infinity")), nil),
            (.string(Secret("0x10")), nil), (.string(Secret("12 3")), nil), (.bool(true), nil),
            (.null, nil), (.array([]), nil),
        ] as [(JSONValue, Double?)]
    )
    func double(value: JSONValue, number: Double?) {
        #expect(value.double == number)
    }
}
