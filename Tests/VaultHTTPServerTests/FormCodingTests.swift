import Testing
import VaultHTTPServer

@Suite struct FormCodingTests {
    @Test(
        "fields are decoded",
        arguments: [
            ("a=1&b=2", [["a", "1"], ["b", "2"]]),
            ("a=1&a=2", [["a", "1"], ["a", "2"]]),
            ("a+b=c%20d%2B", [["a b", "c d+"]]),
            ("a=b=c", [["a", "b=c"]]),
            ("flag&&x=", [["flag", ""], ["x", ""]]),
            ("", []),
            ("p=%E2%82%AC%zz%4", [["p", "€%zz%4"]]),
            ("p=%2&q=%", [["p", "%2"], ["q", "%"]]),
        ]
    )
    func decode(text: String, fields: [[String]]) {
        #expect(FormCoding.decode(text).map { [$0.name, $0.value] } == fields)
    }

    @Test func aRequestSplitsItsTarget() {
        let request = HTTPServerRequest(method: "GET", target: "/a%2Fb?x=1?2&y=%26")
        #expect(request.path == "/a%2Fb")
        #expect(request.rawQuery == "x=1?2&y=%26")
        #expect(request.query.map(\.value) == ["1?2", "&"])
    }
}
