import Testing

/// The search sees a secret in whatever form it was written down.
@Suite struct SecretSearchTests {
    private static let secret = #"CANARY "p/ä+\~é?>0"#

    @Test(
        arguments: [
            #"so CANARY "p/ä+\~é?>0 is it"#,
            "Q0FOQVJZICJwL8OkK1x+w6k/PjB6", "Q0FOQVJZICJwL8OkK1x-w6k_PjB6",
            "eENBTkFSWSAicC/DpCtcfsOpPz4weg==", "eENBTkFSWSAicC_DpCtcfsOpPz4weg",
            "eHlDQU5BUlkgInAvw6QrXH7DqT8+MHo=", "eHlDQU5BUlkgInAvw6QrXH7DqT8-MHo",
            "0043414e4152592022702fc3a42b5c7ec3a93f3e3000",
            "43414E4152592022702FC3A42B5C7EC3A93F3E30",
            "q=CANARY%20%22p%2F%C3%A4%2B%5C~%C3%A9%3F%3E0",
            "q=CANARY%20%22p%2f%c3%a4%2b%5c~%c3%a9%3f%3e0",
            "q=CANARY+%22p%2F%C3%A4%2B%5C~%C3%A9%3F%3E0&a=b",
            #"["CANARY \"p/ä+\\~é?>0"]"#, #"["CANARY \"p\/ä+\\~é?>0"]"#,
            #"["CANARY \"p/\u00e4+\\~\u00e9?>0"]"#, #"["CANARY \"p\/\u00e4+\\~\u00e9?>0"]"#,
        ]
    )
    func textIsFound(in text: String) {
        #expect(SecretSearch(for: Self.secret).firstFound(in: Array(text.utf8)) != nil)
    }

    @Test func bytesAreFound() {
        let bytes = Array(Self.secret.utf8)
        let forms = SecretSearch(for: Self.secret)
        #expect(forms.firstFound(in: bytes) == "raw")
        #expect(forms.firstFound(in: [1] + bytes.flatMap { [$0, 0] }) == "UTF-16LE")
        #expect(forms.firstFound(in: bytes.flatMap { [0, $0] }) == "UTF-16BE")
        #expect(forms.firstFound(in: [0] + bytes.reversed() + [9]) == "reversed")
        let key = (0..<32).map { UInt8($0 * 7 % 256) }
        #expect(SecretSearch(for: key).firstFound(in: [1, 2] + key + [3]) == "raw")
    }

    @Test func whatIsNotThereIsNotFound() {
        let forms = SecretSearch(for: Self.secret)
        for text in ["", "C", "CANARY", "CCANARY \"p/", "43414E41525920", "Q0FOQVJZICJw"] {
            #expect(forms.firstFound(in: Array(text.utf8)) == nil, "\(text)")
        }
        let bytes = Array(Self.secret.utf8)
        #expect(forms.firstFound(in: Array(bytes.dropLast())) == nil)
    }
}
