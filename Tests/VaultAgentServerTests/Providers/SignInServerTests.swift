import FoundationEssentials
import OAuth
import Testing
import VaultAgentClient
import VaultCrypto
import VaultKit
import VaultStore

@testable import VaultAgentServer

/// Where a sign-in goes, by what was told and what the account remembers.
@Suite struct SignInServerTests {
    private func document(
        _ provider: String? = nil,
        _ parameters: [String: String]? = nil,
        issuer: String? = nil
    ) -> BeginSignInDocument {
        var document = BeginSignInDocument(
            name: "work",
            issuer: issuer,
            clientID: nil,
            clientSecret: nil,
            scope: [],
            redirectURI: nil
        )
        document.provider = provider
        document.providerParameters = parameters
        return document
    }

    private func server(
        _ document: BeginSignInDocument,
        _ remembered: AccountRegistration? = nil
    ) throws -> SignInServer {
        try SignInServer(document, remembered: remembered, providers: nil)
    }

    private func token(_ server: SignInServer) -> String? {
        guard case .known(let metadata) = server.source else { return nil }
        return metadata.tokenEndpoint.string
    }

    private static func account(
        _ provider: String? = nil,
        token: String = "https://old.example/token",
        authorization: String? = "https://old.example/authorize",
        issuer: String? = nil
    ) -> AccountRegistration {
        AccountRegistration(
            name: "work",
            client: Client(id: ClientID(rawValue: "c")),
            tokenEndpoint: EndpointURL(unchecked: token),
            authorizationEndpoint: authorization.map { EndpointURL(unchecked: $0) },
            issuer: issuer,
            refresh: RefreshOptions(provider: provider)
        )
    }

    @Test func aProviderSaysWhere() throws {
        let google = try server(document("google"))
        #expect(token(google) == "https://oauth2.googleapis.com/token")
        #expect(!google.isRemembered && google.ownEntry == nil && google.issuer == nil)
        let tenant = try server(document("microsoft", ["tenant": "contoso"]))
        #expect(
            token(tenant) == "https://login.microsoftonline.com/contoso/oauth2/v2.0/token"
        )
        #expect(tenant.issuer == nil)
        let domain = try server(document("auth0", ["domain": "acme.eu.auth0.com"]))
        #expect(domain.issuer == "https://acme.eu.auth0.com/")
        guard case .known(let metadata) = domain.source else { return }
        #expect(metadata.issuer == domain.issuer)
    }

    @Test func anIssuerThatIsToldStandsAboveTheProvidersEndpoints() throws {
        let server = try server(document("google", issuer: "https://as.example"))
        guard case .discovery("https://as.example") = server.source else {
            Issue.record("\(server.source)")
            return
        }
        #expect(server.provider?.name == "google")
        // A server of one's own may speak as a provider does, with endpoints of its own.
        let own = try self.server(document("auth0", issuer: "https://login.acme.example"))
        #expect(own.provider?.name == "auth0")
    }

    @Test func anAccountGoesWhereItsSealSays() throws {
        // The catalogue has other endpoints by now, and the account none of them.
        let again = try server(document(), Self.account("google"))
        #expect(token(again) == "https://old.example/token")
        #expect(again.isRemembered && again.provider?.name == "google")
        let known = try server(document(), Self.account(issuer: "https://as.example"))
        guard case .discovery("https://as.example") = known.source else {
            Issue.record("\(known.source)")
            return
        }
    }

    @Test func anAccountThatWasAddedSignsInWhereItsProviderDoes() throws {
        let same = Self.account(
            "github",
            token: "https://github.com/login/oauth/access_token",
            authorization: nil
        )
        #expect(token(try server(document(), same)) == same.tokenEndpoint.string)
        let other = Self.account("github", authorization: nil)
        let error = #expect(throws: VaultError.self) { try server(document(), other) }
        #expect(error?.facts == [.field: "issuer", .reason: "missing"])
    }

    @Test func itsSecretStaysWithTheSameProvider() throws {
        let account = Self.account(
            "github",
            token: "https://github.com/login/oauth/access_token"
        )
        #expect(try server(document("github"), account).isRemembered)
        #expect(try !server(document("gitlab"), account).isRemembered)
        #expect(try !server(document("github"), Self.account("github")).isRemembered)
        #expect(try !server(document("github"), Self.account()).isRemembered)
    }

    @Test func anEntryOfThePersonsOwnIsKeptFromTheSeal() throws {
        var account = Self.account("acme")
        account.ownProvider = try JSONDecoder().decode(
            ProviderCatalogue.Entry.self,
            from: Data(
                #"{"title": "A", "token_endpoint": "https://old.example/token"}"#.utf8
            )
        )
        let again = try server(document(), account)
        #expect(again.ownEntry == account.ownProvider && again.provider?.entry.title == "A")
        #expect(try server(document("google"), account).ownEntry == nil)
    }

    @Test(
        "what is told wrongly is named",
        arguments: [
            ("nobody", [:], "provider unknown nobody"), ("adobe", [:], "provider no_sign_in adobe"),
            ("microsoft", [:], "provider_parameters missing tenant"),
            ("microsoft", ["tenant": "a/b"], "provider_parameters malformed tenant"),
            ("google", ["tenant": "a"], "provider_parameters unknown tenant"),
            ("okta", ["org": "okta.evil.example"], "provider_parameters foreign_host org"),
        ] as [(String, [String: String], String)]
    )
    func wrong(name: String, parameters: [String: String], words: String) throws {
        let error = try #require(
            #expect(throws: VaultError.self) { try server(document(name, parameters)) }
        )
        #expect(error.code == .invalidInput)
        let facts = [error.facts[.field], error.facts[.reason], error.facts[.found]]
        #expect(facts.compactMap(\.self).joined(separator: " ") == words)
    }

    @Test("an account goes nowhere but where it is bound to, unless somebody names the server anew")
    func moved() throws {
        let account = Self.account("google")
        var metadata = AuthorizationServerMetadata(
            endpoints: [.authorization: EndpointURL(unchecked: "https://elsewhere.example/a")],
            token: account.tokenEndpoint
        )
        let again = try server(document(), account)
        if account.authorizationEndpoint != nil {
            #expect(throws: VaultError.self) { try again.refuseMoved(metadata) }
        }
        metadata = AuthorizationServerMetadata(
            endpoints: [:],
            token: EndpointURL(unchecked: "https://elsewhere.example/t")
        )
        let error = #expect(throws: VaultError.self) { try again.refuseMoved(metadata) }
        #expect(error?.code == .signInFailed && error?.facts[.reason] == "endpoint_moved")
        #expect(error?.facts[.found] == "https://elsewhere.example/t")
        try server(document("google"), account).refuseMoved(metadata)
        try server(document("google"), nil).refuseMoved(metadata)
    }

    @Test func onlyNewEndpointsAreShown() throws {
        let google = try server(document("google"))
        guard case .known(let metadata) = google.source else { return }
        let all = google.document(metadata, flow: .browser)
        let always = ["token_endpoint", "revocation_endpoint"]
        #expect(Set(all.newEndpoints.keys) == Set(always + ["authorization_endpoint"]))
        #expect(
            Set(google.document(metadata, flow: .device).newEndpoints.keys)
                == Set(always + ["device_authorization_endpoint"])
        )
        #expect(all.provider == "google" && all.file == nil)
        let again = try server(document(), Self.account("google"))
        guard case .known(let same) = again.source else { return }
        #expect(again.document(same, flow: .browser).newEndpoints.isEmpty)
    }
}
