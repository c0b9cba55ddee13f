import OAuth
import Testing

@Suite struct OriginTests {
    @Test(
        "an origin is scheme, host and port, whatever else the address says",
        arguments: [
            ("https://api.example.com", "https://api.example.com"),
            ("HTTPS://API.Example.com:443/v1?x=y", "https://api.example.com"),
            ("https://api.example.com:8443/", "https://api.example.com:8443"),
            ("http://127.0.0.1:80/", "http://127.0.0.1"),
            ("http://[::1]:8080/x", "http://[::1]:8080"),
        ]
    )
    func oneForm(address: String, text: String) throws {
        #expect(try Origin(address).text == text)
    }

    @Test(
        "what credentials may not be sent to is no origin",
        arguments: ["http://example.com", "example.com", "https://a@example.com", "ftp://x", ""]
    )
    func refused(address: String) {
        #expect(throws: EndpointURLError.self) { try Origin(address) }
    }
}
