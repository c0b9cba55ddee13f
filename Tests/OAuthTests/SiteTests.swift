import OAuth
import Testing

@Suite struct SiteTests {
    @Test(
        "addresses are of one site",
        arguments: [
            ("https://as.example/", "https://as.example:8443/d", true),
            ("https://accounts.google.com", "https://www.google.com/device", true),
            ("https://login.microsoftonline.com", "https://microsoft.com/devicelogin", false),
            ("https://github.com", "https://github.com.evil.example/login/device", false),
            ("https://as.co.uk", "https://evil.co.uk", false),
            ("https://www.as.co.uk", "https://as.co.uk", true),
            ("https://co.uk", "https://uk", false),
            ("https://as.github.io", "https://evil.github.io", true),
            ("http://127.0.0.1:1", "http://127.0.0.1:2", true),
            ("http://127.0.0.1:1", "http://127.1.0.1:1", false),
            ("http://[::1]:1", "http://127.0.0.1:1", false),
            ("http://localhost:1", "http://localhost:2", true),
        ]
    )
    func site(one: String, other: String, isSame: Bool) throws {
        let (one, other) = (try EndpointURL(one), try EndpointURL(other))
        #expect(one.isSameSite(as: other) == isSame)
        #expect(other.isSameSite(as: one) == isSame)
    }
}
