import OAuth
import Platform
import Testing
import VaultAgentClient
import VaultCrypto
import VaultKit
import VaultTesting

@testable import VaultAgentServer

/// One provider of the catalogue, and in its endpoints' place a stand-in with answers of the corpus,
/// which knows nothing of the catalogue.
struct ProviderDrive: Sendable {
    let name: String
    /// Filled in with what a person would tell.
    let entry: ProviderCatalogue.Entry
    let parameters: [String: String]
    /// The tokens that it begins with.
    let login: CorpusAnswer
    let refresh: CorpusAnswer

    /// Begins with a code, or where it is added with tokens that somebody has already.
    init(_ name: String, isAdded: Bool = false) throws {
        self.name = name
        let known = try #require(ProviderCatalogue.builtIn[name])
        parameters = Self.values.filter { known.parameters[$0.key] != nil }
        entry = try known.filled(parameters)
        login = try isAdded ? .grant(of: name) : .answer(of: name, to: "code")
        refresh = try CorpusAnswer.answer(of: name, to: "refresh")
    }

    private static let values = [
        "tenant": "contoso.example", "shop": "acme", "dc": "com", "realm": "main",
        "domain": "acme.eu.auth0.com", "org": "acme.okta.com", "host": "login.salesforce.com",
    ]

    func document(flow: String? = nil) -> BeginSignInDocument {
        var document = BeginSignInDocument(
            name: "work",
            issuer: nil,
            clientID: "client",
            clientSecret: "s3cret",
            scope: ["one", "two"],
            redirectURI: nil,
            flow: flow
        )
        document.provider = name
        document.providerParameters = parameters.isEmpty ? nil : parameters
        return document
    }

    /// The scope that is asked for, as the provider wants it written.
    var scope: String {
        (["one", "two"] + entry.signIn.refreshTokenScope.names)
            .joined(separator: entry.quirks.scopeSeparator ?? " ")
    }

    // MARK: - What was sent

    func check(refreshing request: SentRequest, at tokenEndpoint: EndpointURL? = nil) {
        #expect(
            request.request.url == entry.refreshEndpoint ?? tokenEndpoint ?? entry.tokenEndpoint
        )
        #expect(Self.member("grant_type", request) == "refresh_token")
        #expect(Self.member("refresh_token", request) == login.expect.refresh_token)
        for parameter in entry.refreshParameters {
            #expect(Self.member(parameter.name, request) == parameter.value)
        }
        check(authentication: request)
    }

    /// A client with a secret shows it in the way of the provider, and in no other.
    func check(authentication request: SentRequest) {
        let isPost = entry.clientAuthentication == .clientSecretPost
        #expect((Self.member("client_secret", request) == "s3cret") == isPost)
        #expect((request.header("Authorization") == nil) == isPost)
    }

    /// A member of a body, whether that is a form or JSON.
    static func member(_ name: String, _ request: SentRequest) -> String? {
        let isJSON = request.header("Content-Type")?.reveal { $0.contains("json") } ?? false
        guard isJSON, let body = request.request.body else {
            return request.parameter(name)?.reveal { $0 }
        }
        return JSONReader.read(body).value.object?[name]?.text
    }
}

/// The way out.
extension ProviderDrive {
    /// Signs out: the tokens go where the provider takes them back, in its form, and the account is
    /// gone; where nobody knows of such a place that is said, and the account stays.
    func signOut(of vault: Vault, _ server: ScriptedTransport) async throws {
        let before = server.requestCount
        guard let revocation = entry.signIn.revocation else {
            let error = await #expect(throws: VaultError.self) { try await vault.signOut("work") }
            #expect(error?.code == .revocationFailed && error?.facts[.reason] == "no_endpoint")
            #expect(server.requestCount == before)
            #expect(try await vault.accounts().map(\.name) == ["work"])
            return
        }
        // The refresh token and the access token, where each is handed in for itself.
        server.enqueue(
            CorpusRevocation.answer(of: name),
            CorpusRevocation.answer(of: name)
        )
        let signOut = try await vault.signOut("work")
        #expect(signOut.failure == nil && !signOut.isKept)
        #expect(try await vault.accounts().isEmpty)
        let sent = server.requests.dropFirst(before)
        #expect(sent.count == (revocation.form.takesAccessToken ? 1 : 2))
        for request in sent {
            #expect(request.request.url == revocation.endpoint.url)
            #expect(request.request.method == .post)
        }
        try check(revoking: #require(sent.first), revocation.form)
    }

    private func check(revoking request: SentRequest, _ form: ProviderRevocation.Form) throws {
        let accessToken = try #require(refresh.expect.access_token)
        let refreshToken = refresh.expect.refresh_token ?? login.expect.refresh_token
        switch form {
        case .standard:
            #expect(Self.member("token", request) == refreshToken)
            #expect(Self.member("token_type_hint", request) == "refresh_token")
            check(authentication: request)
        case .clientID:
            #expect(Self.member("token", request) == refreshToken)
            #expect(Self.member("client_id", request) == "client")
            #expect(Self.member("client_secret", request) == nil)
            #expect(request.header("Authorization") == nil)
        case .accessToken:
            #expect(Self.member("access_token", request) == accessToken)
            #expect(request.header("Authorization") == nil)
        case .bearer:
            #expect(request.header("Authorization") == Secret("Bearer \(accessToken)"))
            #expect(request.request.body?.isEmpty == true)
        }
    }
}
