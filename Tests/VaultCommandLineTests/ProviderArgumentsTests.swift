import Testing
import VaultAgentClient
import VaultKit

@testable import VaultCommandLine

/// What `vault login --provider` takes of its words, and what it says of wrong ones.
@Suite struct ProviderArgumentsTests {
    private static let context = CommandContext(
        location: VaultLocation(directory: "/nonexistent"),
        terminal: Terminal(),
        clock: SystemClock()
    )

    private func document(_ words: String...) throws -> BeginSignInDocument {
        try document(words)
    }

    @discardableResult
    private func document(_ words: [String]) throws -> BeginSignInDocument {
        var arguments = ArgumentReader(words)
        let provider = try ProviderArguments(&arguments)
        try arguments.finish()
        var document = BeginSignInDocument(
            name: "work",
            issuer: nil,
            clientID: "c",
            clientSecret: nil,
            scope: [],
            redirectURI: nil
        )
        try provider.complete(&document, in: Self.context)
        return document
    }

    @Test func theProviderAndItsParametersGoToTheAgent() throws {
        let github = try document("--provider", "github")
        #expect(github.provider == "github" && github.providerParameters == nil)
        let shop = try document("--provider", "shopify", "--provider-param", "shop=acme")
        #expect(shop.providerParameters == ["shop": "acme"])
        #expect(try document().provider == nil)
    }

    @Test(
        "wrong words are named",
        arguments: [
            (["--provider", "gihub"], UsageError.unknownProvider("gihub", nearest: "github")),
            (["--provider", "xq"], .unknownProvider("xq", nearest: nil)),
            (["--provider", "Exact"], .unknownProvider("Exact", nearest: "exact-online")),
            (["--provider="], .unknownProvider("", nearest: nil)),
            (["--provider-param", "a=b"], .missing("--provider PROVIDER")),
            (
                ["--provider", "github", "--provider-param", "tenant"],
                .missing("NAME= in the value of --provider-param")
            ),
            (
                ["--provider", "shopify"],
                .missing("--provider-param shop=… (the name of the shop, without .myshopify.com)")
            ),
            (
                ["--provider", "github", "--provider-param", "tenant=a"],
                .malformed(
                    "--provider-param",
                    value: "tenant",
                    wanted: "a name in the endpoints of github"
                )
            ),
            (
                ["--provider", "okta", "--provider-param", "org=evil.example"],
                .malformed(
                    "the host that --provider-param org= leads to",
                    value: "evil.example",
                    wanted: "one of okta's"
                )
            ),
            (
                [
                    "--provider", "shopify", "--provider-param", "shop=a", "--provider-param",
                    "shop=b",
                ],
                .repeatedOption("--provider-param shop=")
            ),
        ] as [([String], UsageError)]
    )
    func wrong(words: [String], error: UsageError) {
        #expect(throws: error) {
            try document(words)
        }
    }

    @Test(
        "vault add needs no more of a provider than its habits when it is told the token endpoint"
    )
    func known() throws {
        func known(needsAll: Bool, _ words: String...) throws -> String? {
            var arguments = ArgumentReader(words)
            let provider = try ProviderArguments(&arguments)
            let known = try #require(try provider.known(needsAll: needsAll, in: Self.context))
            return known.entry.tokenEndpoint?.string
        }
        #expect(try known(needsAll: false, "--provider", "shopify") == nil)
        #expect(
            try known(needsAll: true, "--provider", "shopify", "--provider-param", "shop=acme")
                == "https://acme.myshopify.com/admin/oauth/access_token"
        )
        #expect(throws: UsageError.self) { try known(needsAll: true, "--provider", "shopify") }
    }

    @Test func endpointsThatMovedAreAWarning() throws {
        let change = EndpointsDocument.Change(
            name: "token_endpoint",
            pinned: "https://a.example/1",
            found: "https://a.example/2"
        )
        let moved = EndpointsDocument(issuer: "https://a.example", changes: [change])
        let finding = try #require(EndpointChecks.finding(on: "work", moved))
        #expect(finding.level == .warning && finding.text.contains("https://a.example/2"))
        #expect(finding.hint?.hasPrefix("vault provider update work") == true)
        let same = EndpointsDocument(issuer: "https://a.example", changes: [])
        #expect(EndpointChecks.finding(on: "work", same) == nil)
    }
}
