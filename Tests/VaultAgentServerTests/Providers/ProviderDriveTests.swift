import OAuth
import Platform
import Testing
import VaultAgentClient
import VaultCrypto
import VaultHTTPServer
import VaultKit
import VaultStore
import VaultTesting

@testable import VaultAgentServer

/// Each provider of the catalogue that can be signed in at is: a browser on a real socket, and in its
/// token endpoint's place a stand-in with answers of the corpus, which knows nothing of the catalogue.
@Suite struct ProviderDriveTests {
    private static let names = ProviderCatalogue.builtIn.names.filter { name in
        ProviderCatalogue.builtIn[name]?.signIn.authorizationEndpoint != nil
    }

    private static func parameters(_ entry: ProviderCatalogue.Entry) -> [String: String] {
        let values = [
            "tenant": "contoso.example", "shop": "acme", "dc": "com", "realm": "main",
            "domain": "acme.eu.auth0.com", "org": "acme.okta.com", "host": "login.salesforce.com",
        ]
        return values.filter { entry.parameters[$0.key] != nil }
    }

    private static func document(
        _ name: String,
        _ parameters: [String: String]
    ) -> BeginSignInDocument {
        var document = BeginSignInDocument(
            name: "work",
            issuer: nil,
            clientID: "client",
            clientSecret: "s3cret",
            scope: ["one", "two"],
            redirectURI: nil
        )
        document.provider = name
        document.providerParameters = parameters.isEmpty ? nil : parameters
        return document
    }

    @Test("signs in and refreshes", arguments: names)
    func drive(name: String) async throws {
        let known = try #require(ProviderCatalogue.builtIn[name])
        let parameters = Self.parameters(known)
        let entry = try known.filled(parameters)
        let login = try CorpusAnswer.answer(of: name, to: "code")
        let refresh = try CorpusAnswer.answer(of: name, to: "refresh")
        let server = ScriptedTransport(login.scripted, refresh.scripted)

        try await TemporaryVault.use(isVolatile: true) { temporary in
            let vault = try await temporary.open(transport: server)
            let signIns = SignIns(vault: vault, transport: server, clock: SystemClock())
            let signIn = try await signIns.begin(
                SignInRequest(Self.document(name, parameters), for: "work", remembered: nil)
            )
            let page = try await Self.comeBack(to: signIn, entry)
            #expect(page?.status == 200)
            let exchange = try #require(server.requests.first)
            Self.check(exchange, of: entry, signIn)

            let first = try await vault.accessToken(for: "work")
            #expect(first.value.reveal { $0 } == login.expect.access_token)
            let second = try await vault.refresh("work")
            #expect(second.value.reveal { $0 } == refresh.expect.access_token)
            #expect(server.requestCount == 2)
            Self.check(try #require(server.requests.last), refreshing: entry, login)
            await signIns.stop()
            await vault.close()
        }
    }

    /// The browser's way: to the page that the provider is known for, and back.
    private static func comeBack(
        to signIn: SignIn,
        _ entry: ProviderCatalogue.Entry
    ) async throws -> Page? {
        let way = try #require(signIn.way as? BrowserWay)
        let url = way.authorizationURL
        let endpoint = try #require(entry.signIn.authorizationEndpoint?.url)
        #expect(url.string.hasPrefix(endpoint.string + "?"))
        let query = Dictionary(
            FormCoding.decode(url.query ?? "").map { ($0.name, $0.value) },
            uniquingKeysWith: { first, _ in first }
        )
        for parameter in entry.signIn.authorizationParameters {
            #expect(query[parameter.name] == parameter.value)
        }
        let separator = entry.quirks.scopeSeparator ?? " "
        let scope = ["one", "two"] + entry.signIn.refreshTokenScope.names
        #expect(query["scope"] == scope.joined(separator: separator))
        #expect((query["code_challenge"] != nil) == entry.signIn.takesProofKey)
        let state = query["state"] ?? ""
        let port = UInt16(clamping: EndpointURL(unchecked: way.redirectURI).port)
        return try await Browser.get(port, "/callback?code=c&state=\(state)")
    }

    private static func check(
        _ exchange: SentRequest,
        of entry: ProviderCatalogue.Entry,
        _ signIn: SignIn
    ) {
        #expect(exchange.request.url == entry.tokenEndpoint)
        #expect(member("grant_type", exchange) == "authorization_code")
        #expect(member("code", exchange) == "c")
        #expect(member("redirect_uri", exchange) == (signIn.way as? BrowserWay)?.redirectURI)
        #expect((member("code_verifier", exchange) != nil) == entry.signIn.takesProofKey)
        for parameter in entry.signIn.tokenParameters {
            #expect(member(parameter.name, exchange) == parameter.value)
        }
        check(exchange, authenticatesAs: entry.clientAuthentication)
    }

    private static func check(
        _ request: SentRequest,
        refreshing entry: ProviderCatalogue.Entry,
        _ login: CorpusAnswer
    ) {
        #expect(request.request.url == entry.refreshEndpoint ?? entry.tokenEndpoint)
        #expect(member("grant_type", request) == "refresh_token")
        #expect(member("refresh_token", request) == login.expect.refresh_token)
        for parameter in entry.refreshParameters {
            #expect(member(parameter.name, request) == parameter.value)
        }
        check(request, authenticatesAs: entry.clientAuthentication)
    }

    /// A client with a secret shows it in the way of the provider, and in no other.
    private static func check(_ request: SentRequest, authenticatesAs way: ClientAuthentication?) {
        let isPost = way == .clientSecretPost
        #expect((member("client_secret", request) == "s3cret") == isPost)
        #expect((request.header("Authorization") == nil) == isPost)
    }

    /// A member of a body, whether that is a form or JSON.
    private static func member(_ name: String, _ request: SentRequest) -> String? {
        let isJSON = request.header("Content-Type")?.reveal { $0.contains("json") } ?? false
        guard isJSON, let body = request.request.body else {
            return request.parameter(name)?.reveal { $0 }
        }
        return JSONReader.read(body).value.object?[name]?.text
    }
}
