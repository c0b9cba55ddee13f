import FoundationEssentials
import OAuth
import Testing
import VaultCrypto

/// The catalogue in the program: what is wrong in it is found here and never at run time.
@Suite struct ProviderCatalogueTests {
    private static let source = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Sources/OAuth/providers.json")

    private static let catalogue = ProviderCatalogue.builtIn

    @Test func theProgramHasEveryEntryOfTheFile() throws {
        let file = try ProviderCatalogue(Data(contentsOf: Self.source))
        #expect(file.names.count > 40)
        #expect(Self.catalogue.names == file.names)
        for name in file.names { #expect(Self.catalogue[name] == file[name]) }
    }

    @Test("each entry is sound", arguments: catalogue.names)
    func sound(name: String) throws {
        let entry = try #require(Self.catalogue[name])
        #expect(name.wholeMatch(of: /[a-z0-9][a-z0-9-]*/) != nil)
        #expect(!entry.title.isEmpty)
        for host in entry.hosts { #expect(host.wholeMatch(of: /(\*\.)?[a-z0-9.-]+/) != nil) }
        for host in entry.fixedHosts {
            #expect(Self.catalogue.names(forHost: host).contains(name), "\(host)")
        }
        // A refresh token goes to a host that the sign-in knows.
        if let refresh = entry.refreshEndpoint {
            #expect(refresh.host == entry.tokenEndpoint?.host)
        }
        let signIn = entry.signIn
        let endpoints = [
            entry.tokenTemplate, signIn.issuer, signIn.authorizationEndpoint,
            signIn.deviceAuthorizationEndpoint, signIn.userinfoEndpoint,
            signIn.revocation?.endpoint,
        ]
        for endpoint in endpoints.compactMap(\.self) {
            #expect(endpoint.text.hasPrefix("https://"))
        }
        #expect(entry.refreshEndpoint?.string.hasPrefix("https://") != false)
        let parameters = signIn.authorizationParameters + signIn.tokenParameters
        for parameter in entry.refreshParameters + parameters {
            #expect(RequestParameter.mayBeNamed(parameter.name))
        }
        let times = [
            entry.accessTokenLifetime, entry.refreshLead, entry.settlingTime,
            entry.refreshTokenIdleLifetime, entry.refreshTokenLifetime,
        ]
        for time in times { #expect(time.map { $0 > 0 && $0 < 1e9 } != false) }
    }

    @Test("each entry is the same when it is written and read", arguments: catalogue.names)
    func written(name: String) throws {
        let entry = try #require(Self.catalogue[name])
        let json = try JSONEncoder().encode([name: entry])
        #expect(try ProviderCatalogue(json)[name] == entry)
    }

    @Test("each quirk says something", arguments: catalogue.names)
    func quirks(name: String) throws {
        let quirks = try #require(Self.catalogue[name]).quirks
        for (code, _) in quirks.errorCodes ?? [:] {
            #expect(code.wholeMatch(of: /[a-z_0-9-]+/) != nil)
        }
        for text in quirks.errorTexts ?? [] {
            #expect(text.text.count > 8)
            #expect(text.code.map { $0.wholeMatch(of: /[a-z_0-9-]+/) != nil } != false)
        }
        #expect((quirks.resultField == nil) == (quirks.okResult == nil))
    }

    /// A member that is misspelt is left out in silence by a decoder.
    @Test func everyMemberIsKnown() throws {
        let document = JSONReader.read(Array(try Data(contentsOf: Self.source)).span)
        try #require(document.isComplete)
        for (name, entry) in document.value.object ?? [:] {
            let members = Set(entry.object.map { Array($0.keys) } ?? [])
            #expect(members.isSubset(of: ProviderCatalogue.Entry.memberNames), "\(name)")
            let quirks = entry.member(at: "quirks")?.object
            let revocation = entry.member(at: "revocation")?.object.map { Set($0.keys) } ?? []
            #expect(revocation.isSubset(of: ["endpoint", "form"]), "\(name)")
            let known = ProviderQuirks.CodingKeys.allCases.map(\.rawValue)
            #expect(Set(quirks.map { Array($0.keys) } ?? []).isSubset(of: known), "\(name)")
        }
    }

    @Test(
        "what a line of the corpus needs is in the catalogue",
        arguments: TokenResponseRow.all.filter { $0.needs_profile != nil }
    )
    func profile(row: TokenResponseRow) throws {
        let name = try #require(row.provider)
        row.check(try #require(Self.catalogue[name]).quirks)
    }

    @Test(
        "an entry spoils no answer of its provider",
        arguments: TokenResponseRow.all.filter { row in
            row.provider.map { catalogue[$0] != nil } ?? false
        }
    )
    func provider(row: TokenResponseRow) throws {
        let name = try #require(row.provider)
        row.check(try #require(Self.catalogue[name]).quirks)
    }

    @Test(
        "a host suggests providers",
        arguments: [
            ("github.com", ["github"]), ("gist.github.com", []), ("acme.zendesk.com", ["zendesk"]),
            ("zendesk.com", []), ("login.salesforce.com", ["salesforce"]), ("127.0.0.1", []),
        ]
    )
    func host(name: String, providers: [String]) {
        #expect(Self.catalogue.names(forHost: name) == providers)
    }

    @Test func whatWasToldStaysTold() throws {
        let figma = try #require(Self.catalogue["figma"])
        let own = try #require(figma.tokenEndpoint)
        let plain = figma.complete(RefreshOptions(provider: "figma"), tokenEndpoint: own)
        #expect(plain.rotation == RefreshTokenRotation.none)
        #expect(plain.endpoint == figma.refreshEndpoint)
        // Another server's refresh token is nothing for Figma.
        let other = try EndpointURL("https://figma.example/token")
        #expect(figma.complete(RefreshOptions(), tokenEndpoint: other).endpoint == nil)
        let told = RefreshOptions(rotation: .strict, endpoint: other)
        #expect(figma.complete(told, tokenEndpoint: own) == told)

        let basecamp = try #require(Self.catalogue["basecamp"])
        let parameters = [RequestParameter("a", "1"), RequestParameter("type", "other")]
        let mine = RefreshOptions(parameters: parameters)
        #expect(basecamp.complete(mine, tokenEndpoint: other).parameters == parameters)
        #expect(
            basecamp.complete(RefreshOptions(), tokenEndpoint: other).parameters
                == [RequestParameter("type", "refresh")]
        )
    }
}
