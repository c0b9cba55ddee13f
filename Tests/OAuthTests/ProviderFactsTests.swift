import FoundationEssentials
import OAuth
import Testing

/// The catalogue says what the survey of providers says with a source, and nothing that the survey has
/// from memory alone: that is what its mark (u) means.
@Suite struct ProviderFactsTests {
    private static let catalogue = ProviderCatalogue.builtIn

    private static let survey: String = {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
        let data = try? Data(contentsOf: folder.appending(path: "Fixtures/providers.md"))
        return data.map { String(decoding: $0, as: UTF8.self) } ?? ""
    }()

    /// The addresses of the survey's table that have a source.
    private static let addresses: [String] = survey.split(separator: "\n")
        .filter { $0.hasPrefix("| ") }
        .flatMap { $0.split { "|;,".contains($0) } }
        .filter { !$0.contains("(u)") }
        .flatMap { $0.split(separator: " ") }
        .map { $0.filter { !"*`:".contains($0) } }
        .map {
            $0.replacing("{base}", with: "{host}")
                .replacing("{accounts}", with: "accounts.zoho.{dc}")
        }

    /// Whether the survey has an address, some of which it shortens.
    private func isKnown(_ address: String) -> Bool {
        let address = address.dropFirst("https://".count)
        return Self.addresses.contains { known in
            known.hasPrefix("…") ? address.hasSuffix(known.dropFirst()) : address == known
        }
    }

    @Test func theSurveyIsThere() {
        #expect(Self.addresses.count > 100)
        #expect(!isKnown("https://zoom.us/oauth/revoke"))
    }

    @Test("each endpoint has a source", arguments: catalogue.names)
    func endpoints(name: String) throws {
        let entry = try #require(Self.catalogue[name])
        let signIn = entry.signIn
        let endpoints = [
            entry.tokenTemplate?.text, entry.refreshEndpoint?.string,
            signIn.authorizationEndpoint?.text, signIn.deviceAuthorizationEndpoint?.text,
            signIn.userinfoEndpoint?.text, signIn.revocation?.endpoint.text,
        ]
        for endpoint in endpoints.compactMap(\.self) { #expect(isKnown(endpoint), "\(endpoint)") }
        #expect(!entry.sources.isEmpty)
        #expect(entry.sources.allSatisfy { $0.count > 10 && !$0.contains("(u)") })
    }

    @Test("each parameter and scope has a source", arguments: catalogue.names)
    func parameters(name: String) throws {
        let entry = try #require(Self.catalogue[name])
        // What these two want is told without its value, or in a source of the entry's own.
        guard !["zendesk", "withings"].contains(name) else { return }
        let parameters =
            entry.signIn.authorizationParameters + entry.signIn.tokenParameters
            + entry.refreshParameters
        for parameter in parameters {
            #expect(Self.survey.contains("`\(parameter.name)=\(parameter.value)`"))
        }
        for scope in entry.signIn.refreshTokenScope.names {
            #expect(Self.survey.contains("`\(scope)`"))
        }
    }

    @Test func mostOfThemCanBeSignedInAt() {
        let complete = Self.catalogue.names.filter { name in
            guard let entry = Self.catalogue[name] else { return false }
            return entry.tokenTemplate != nil && entry.signIn.authorizationEndpoint != nil
        }
        #expect(complete.count >= 40)
    }
}
