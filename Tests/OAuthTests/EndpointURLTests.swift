import OAuth
import Testing

@Suite struct EndpointURLTests {
    @Test(
        "refuses what credentials must not be sent to",
        arguments: [
            ("", .notHTTP), ("https", .notHTTP), ("example.com/token", .notHTTP),
            ("file:///x", .notHTTP), ("javascript:alert(1)", .notHTTP), ("//h/x", .notHTTP),
            (" https://h", .notHTTP), ("ftp://h/", .notHTTP),
            ("https://", .hostMissing), ("https:///path", .hostMissing),
            ("https://:443/", .hostMissing),
            ("http://example.com", .insecure), ("http://127.0.0.1.example.com/", .insecure),
            ("http://10.0.0.1/", .insecure), ("http://127.1/", .insecure),
            ("http://0177.0.0.1/", .insecure), ("http://127.0.0.256/", .insecure),
            ("http://[::2]/", .insecure), ("http://localhost.example/", .insecure),
            ("https://café.example", .hostNotASCII), ("https://\u{ff45}xample.com/", .hostNotASCII),
            ("https://user@h", .userInfo), ("https://u:p@h/", .userInfo),
            ("https://@h/", .userInfo),
            ("https://h/x#y", .fragment), ("https://h#", .fragment),
            ("https://h/ path", .forbiddenCharacter), ("https://h/\n", .forbiddenCharacter),
            ("https://h x/", .forbiddenCharacter), ("https://h\t/", .forbiddenCharacter),
            ("https://h/\u{0}", .forbiddenCharacter), ("https://h/é", .forbiddenCharacter),
            ("https://h/{tenant}", .forbiddenCharacter), ("https://h/a\\b", .forbiddenCharacter),
            ("https://h/%4", .forbiddenCharacter), ("https://h/%zz", .forbiddenCharacter),
            ("https://h:/", .portMalformed), ("https://h:0/", .portMalformed),
            ("https://h:65536/", .portMalformed), ("https://h:+1/", .portMalformed),
            ("https://h:1:2/", .portMalformed), ("https://h:4x/", .portMalformed),
            ("https://h:999999999999999999999/", .portMalformed),
            ("https://a..b/", .hostMalformed), ("https://.h/", .hostMalformed),
            ("https://h./", .hostMalformed), ("https://-h/", .hostMalformed),
            ("https://%68/", .hostMalformed), ("https://h\\@x/", .userInfo),
            ("https://[::1/", .hostMalformed), ("https://[::1]x/", .hostMalformed),
            ("https://[1::2::3]/", .hostMalformed), ("https://[fe80::1%25eth0]/", .hostMalformed),
            ("https://[1:2:3:4:5:6:7:8:9]/", .hostMalformed), ("https://[:::]/", .hostMalformed),
            ("https://[12345::]/", .hostMalformed), ("https://[]/", .hostMalformed),
            ("https://[1:2:3:4:5:6:7]/", .hostMalformed), ("https://[:1]/", .hostMalformed),
        ] as [(String, EndpointURLError)]
    )
    func refuses(text: String, error: EndpointURLError) {
        #expect(throws: error) { try EndpointURL(text) }
    }

    @Test(
        "reads the parts of a good one",
        arguments: [
            ("https://example.com", "example.com", 443, "/", nil, "https://example.com"),
            ("HTTPS://Example.COM:443/T", "example.com", 443, "/T", nil, "https://example.com"),
            ("https://h:8443/a?p=b&q", "h", 8443, "/a", "p=b&q", "https://h:8443"),
            ("https://h?x=1", "h", 443, "/", "x=1", "https://h"),
            (
                "https://xn--caf-dma.example/", "xn--caf-dma.example", 443, "/", nil,
                "https://xn--caf-dma.example"
            ),
            ("http://127.0.0.1:9000/t", "127.0.0.1", 9000, "/t", nil, "http://127.0.0.1:9000"),
            ("http://127.255.0.9", "127.255.0.9", 80, "/", nil, "http://127.255.0.9"),
            ("http://[::1]:7/", "::1", 7, "/", nil, "http://[::1]:7"),
            (
                "http://[0:0:0:0:0:0:0:1]/", "0:0:0:0:0:0:0:1", 80, "/", nil,
                "http://[0:0:0:0:0:0:0:1]"
            ),
            (
                "https://[2001:db8::192.0.2.1]/", "2001:db8::192.0.2.1", 443, "/", nil,
                "https://[2001:db8::192.0.2.1]"
            ),
            ("http://localhost:8080/x", "localhost", 8080, "/x", nil, "http://localhost:8080"),
            (
                "https://h/a%2Fb;v=1/@:~?q='(x)*,y'", "h", 443, "/a%2Fb;v=1/@:~", "q='(x)*,y'",
                "https://h"
            ),
        ] as [(String, String, Int, String, String?, String)]
    )
    func reads(
        text: String,
        host: String,
        port: Int,
        path: String,
        query: String?,
        origin: String
    ) throws {
        let url = try EndpointURL(text)
        #expect(url.string == text)
        #expect(url.host == host)
        #expect(url.port == port)
        #expect(url.path == path)
        #expect(url.query == query)
        #expect(url.origin == origin)
    }

    @Test(
        "knows this machine's own addresses",
        arguments: [
            ("http://127.0.0.1/", true), ("https://127.9.9.9/", true), ("http://[::1]/", true),
            ("http://localhost/", true), ("https://LOCALHOST/", true), ("https://h/", false),
            ("https://127.0.0.1.example/", false), ("https://[::2]/", false),
        ]
    )
    func isLoopback(text: String, expected: Bool) throws {
        #expect(try EndpointURL(text).isLoopback == expected)
    }
}
