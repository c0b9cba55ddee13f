import OAuth
import Testing

/// What a person tells never leads an endpoint away from its provider.
@Suite struct EndpointTemplateTests {
    private static let shops = ["*.myshop.example"]

    private func filled(
        _ template: String,
        _ values: [String: String],
        hosts: [String] = []
    ) throws -> String {
        try EndpointTemplate(template).filled(values, hosts: hosts).text
    }

    @Test func whatIsToldGoesInItsPlace() throws {
        #expect(
            try filled("https://as.example/{tenant}/token", ["tenant": "contoso.example"])
                == "https://as.example/contoso.example/token"
        )
        #expect(
            try filled("https://{shop}.myshop.example/a", ["shop": "Acme-1"], hosts: Self.shops)
                == "https://acme-1.myshop.example/a"
        )
        #expect(
            try filled("https://{host}/t", ["host": "id.acme.example:8443"])
                == "https://id.acme.example:8443/t"
        )
        #expect(
            try filled("https://as.{dc}/t", ["dc": "com.au"], hosts: ["as.com", "as.com.au"])
                == "https://as.com.au/t"
        )
        #expect(
            try filled("https://{host}/t", ["host": "a.eu.acme.example"], hosts: ["*.acme.example"])
                == "https://a.eu.acme.example/t"
        )
    }

    @Test(
        "a shop's name stays one label of its host",
        arguments: [
            "", "a.b", "evil.example/", "evil.example#", "evil.example?", "a/b", "a@evil.example",
            "a:1", "a\\b", "a b", "a\n", "-a", "a-", "{x}", "%2e", "ä", "a_b",
            String(repeating: "a", count: 64),
        ]
    )
    func label(value: String) {
        #expect(throws: ProviderParameterError.self) {
            try filled("https://{shop}.myshop.example/t", ["shop": value], hosts: Self.shops)
        }
    }

    @Test(
        "a host stays a host, and one of the provider's",
        arguments: [
            "", "acme.example", "evil.example/x.acme.example", "x@a.acme.example",
            "a.acme.example:0", "a.acme.example:x", "a.acme.example.", "https://a.acme.example",
            "a.acme.example/t?", "a.acme.example#", "aacme.example", "[::1]", "a..acme.example",
            "127.0.0.1",
        ]
    )
    func host(value: String) {
        #expect(throws: ProviderParameterError.self) {
            try filled("https://{host}/t", ["host": value], hosts: ["*.acme.example"])
        }
    }

    @Test(
        "a tenant stays one part of the path",
        arguments: ["", ".", "..", "a/b", "a?b", "a#b", "%2f", "a b", "ä", "\\"]
    )
    func segment(value: String) {
        #expect(throws: ProviderParameterError.malformed("tenant")) {
            try filled("https://as.example/{tenant}/t", ["tenant": value])
        }
    }

    @Test func aHostThatIsNotTheProvidersIsNamed() {
        #expect(throws: ProviderParameterError.foreignHost("dc", "as.evil")) {
            try filled("https://as.{dc}/t", ["dc": "evil"], hosts: ["as.com"])
        }
        #expect(throws: ProviderParameterError.missing("dc")) {
            try filled("https://as.{dc}/t", [:], hosts: ["as.com"])
        }
        // Without a list nobody could say which hosts are the provider's.
        #expect(throws: ProviderParameterError.self) {
            try filled("https://as.{dc}/t", ["dc": "com"])
        }
    }

    @Test(
        "what is no template",
        arguments: [
            "http://{host}/t", "ftp://as.example/{x}", "https://as.example/{x", "https://{X}/t",
            "https://{}/t", "https://u@{host}/t", "https://as.example/t?tenant={x}",
            "https://as.example/#{x}", "as.example/{x}", "{host}",
        ]
    )
    func malformed(text: String) {
        #expect(throws: EndpointURLError.self) { try EndpointTemplate(text) }
    }

    @Test func anAddressWithoutNamesIsItself() throws {
        let template = try EndpointTemplate("http://127.0.0.1:7/t")
        #expect(template.url?.string == "http://127.0.0.1:7/t")
        #expect(template.fixedHost == "127.0.0.1")
        #expect(try EndpointTemplate("https://as.example/{tenant}/t").fixedHost == "as.example")
        #expect(try EndpointTemplate("https://{host}/t").fixedHost == nil)
        #expect(try EndpointTemplate("https://{host}/t").url == nil)
    }
}
