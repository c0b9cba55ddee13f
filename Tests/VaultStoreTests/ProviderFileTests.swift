import FoundationEssentials
import OAuth
import Testing

@testable import VaultStore

/// What is read of a file of a person's own providers, and what is said of one that is broken.
@Suite struct ProviderFileTests {
    private func entries(
        _ text: String
    ) throws(ConfigurationProblem) -> [String: ProviderCatalogue.Entry] {
        try ProviderFile.read(Array(text.utf8))
    }

    @Test func aFileSaysWhatTheCatalogueSays() throws {
        let entry = try #require(
            try entries(
                """
                {
                  "acme": {
                    "title": "Acme",
                    "authorization_endpoint": "https://id.acme.example/authorize",
                    "token_endpoint": "https://id.acme.example/token",
                    "revocation": {"endpoint": "https://id.acme.example/revoke"},
                    "client_authentication": "client_secret_post",
                    "default_scope": ["read"],
                    "refresh_token_scope": ["offline"],
                    "quirks": {"error_codes": {"gone": "grant_refused"}}
                  }
                }
                """
            )["acme"]
        )
        #expect(entry.title == "Acme")
        // Its hosts are those of its endpoints unless it says others.
        #expect(entry.hosts == ["id.acme.example"])
        #expect(entry.scope(Scope([])).names == ["read", "offline"])
        #expect(entry.scope(Scope(["write"])).names == ["write", "offline"])
        #expect(entry.quirks.errorCodes == ["gone": .grantRefused])
        #expect(try entries("{}").isEmpty)
    }

    /// A member in line 3 of an entry that is whole otherwise.
    private func fault(in members: String) -> ConfigurationProblem? {
        let text = """
            {"acme": {"title": "Acme",
            "token_endpoint": "https://id.acme.example/token",
            \(members)}}
            """
        do throws(ConfigurationProblem) {
            _ = try entries(text)
            return nil
        } catch {
            return error
        }
    }

    @Test(
        "what is wrong has its line and its member",
        arguments: [
            (#""pkce": "yes""#, "acme.pkce", "true or false"),
            (#""hosts": "id.acme.example""#, "acme.hosts", "a list"),
            (#""hosts": ["other.example"]"#, "acme.hosts", "a list that has id.acme.example too"),
            (#""settling_time": "5""#, "acme.settling_time", "a number"),
            (#""settling_time": -5"#, "acme.settling_time", "seconds above 0"),
            (#""issuer": "id.acme.example""#, "acme.issuer", "an https address"),
            (#""console": "http://acme.example/""#, "acme.console", "an https address"),
            (
                #""authorization_endpoint": "file:///etc""#, "acme.authorization_endpoint",
                "an https address"
            ),
            (
                #""rotation": "often""#, "acme.rotation",
                "none, overlap, grace:SECONDS, strict or unknown"
            ),
            (
                #""client_authentication": "basic""#, "acme.client_authentication",
                "none, client_secret_basic or client_secret_post"
            ),
            (#""quirks": {"body_format": "xml"}"#, "acme.quirks.body_format", "form or json"),
            (#""quirks": []"#, "acme.quirks", "an object"),
            (
                #""displays_code": true, "redirect_uri": "http://127.0.0.1/""#,
                "acme.redirect_uri", "an https address or urn:ietf:wg:oauth:2.0:oob"
            ),
            (
                #""displays_code": true, "redirect_uri": "https:///x""#,
                "acme.redirect_uri", "an https address or urn:ietf:wg:oauth:2.0:oob"
            ),
            (
                #""revocation": {"endpoint": "https://a.example", "form": "get"}"#,
                "acme.revocation.form", "rfc7009, client_id, access_token, bearer"
            ),
            (
                #""authorization_parameters": {"client_secret": "x"}"#,
                "acme.authorization_parameters", "an object of texts, none of them a secret"
            ),
            (
                #""default_scope": ["a b"]"#, "acme.default_scope",
                "a list of different names without blanks"
            ),
        ]
    )
    func unfit(members: String, field: String, wanted: String) throws {
        let problem = try #require(fault(in: members))
        #expect(problem.kind == .unfit(field, wanted: wanted))
        // What an entry lacks is told of the whole entry.
        #expect(problem.line == (wanted.contains("too") ? 1 : 3))
    }

    @Test(
        "a member that nobody knows is named",
        arguments: [
            (#""tokens": 1"#, "acme.tokens"), (#""quirks": {"tokens": 1}"#, "acme.quirks.tokens"),
            (#""revocation": {"url": 1}"#, "acme.revocation.url"),
            (
                #""quirks": {"error_texts": [{"text": "a", "meaning": "transient", "x": 1}]}"#,
                "acme.quirks.error_texts.0.x"
            ),
        ]
    )
    func unknown(members: String, field: String) throws {
        let problem = try #require(fault(in: members))
        #expect(problem == ConfigurationProblem(line: 3, .unknown(field)))
    }

    @Test func anEntryThatLacksSomethingIsNamed() throws {
        let kinds = [
            #"{"acme": {}}"#, #"{"acme": {"title": "Acme"}}"#,
            #"{"acme": {"title": "A", "token_endpoint": "https://a.example/{x}"}}"#,
            #"{"acme": {"title": "A", "redirect_uri": "urn:ietf:wg:oauth:2.0:oob"}}"#,
            #"{"acme": {"title": "A", "displays_code": true, "pkce": false}}"#,
        ].map { text -> ConfigurationProblem.Kind? in
            do throws(ConfigurationProblem) {
                _ = try entries(text)
                return nil
            } catch {
                return error.kind
            }
        }
        #expect(kinds[0] == .missing("acme.title"))
        #expect(kinds[1] == .missing("acme.token_endpoint"))
        #expect(
            kinds[2]
                == .unfit(
                    "acme",
                    wanted: "an entry whose parameters are the names in braces of its endpoints"
                )
        )
        let own = "an entry that displays the code, as it has a redirect_uri of its own"
        #expect(kinds[3] == .unfit("acme", wanted: own))
        let bound = "an entry that takes a proof key, as it displays the code"
        #expect(kinds[4] == .unfit("acme", wanted: bound))
    }

    @Test("a name may be no other's", arguments: ["google", "Acme", "a b", "-a", ""])
    func name(name: String) {
        let text = "{\n\"\(name)\": {\"title\": \"A\", \"token_endpoint\": \"https://a.example/\"}}"
        do throws(ConfigurationProblem) {
            _ = try entries(text)
            Issue.record("\(name) was taken")
        } catch {
            #expect(error.line == 2)
            guard case .unfit(name, _) = error.kind else {
                Issue.record("\(error.kind)")
                return
            }
        }
    }
}
