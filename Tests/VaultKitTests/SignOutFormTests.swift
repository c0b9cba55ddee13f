import FoundationEssentials
import OAuth
import Testing
import VaultCrypto
import VaultStore
import VaultTesting

@testable import VaultKit

/// Signing out in a form of the provider's own.
@Suite(.timeLimit(.minutes(2))) struct SignOutFormTests {
    private static let revocation = "https://as.example/revoke"

    /// An account of a provider that revokes in some form.
    private static func registration(_ form: ProviderRevocation.Form) -> AccountRegistration {
        var registration = AccountRegistration.testing("work")
        registration.revocationEndpoint = EndpointURL(unchecked: revocation)
        registration.revocationForm = form
        return registration
    }

    private static let tokens = TokenResponse.testing(
        accessToken: "work-access-1",
        refreshToken: "work-refresh-1"
    )

    @Test("an access token speaks for the grant, and nothing else is sent")
    func accessToken() async throws {
        for form in [ProviderRevocation.Form.accessToken, .bearer] {
            let transport = ScriptedTransport(.response(200))
            try await withScene(transport) { scene in
                try await scene.vault.add(Self.registration(form), Self.tokens)
                // Sealed with it, and there again for whoever opens the file anew.
                #expect(try scene.stored().settings.revocationForm == form)
                #expect(try await scene.vault.signOut("work").failure == nil)
                let sent = try #require(transport.requests.first)
                let isBearer = form == .bearer
                #expect((sent.parameter("access_token") == Secret("work-access-1")) != isBearer)
                #expect(
                    (sent.header("Authorization") == Secret("Bearer work-access-1")) == isBearer
                )
                #expect(sent.refreshToken == nil && sent.parameter("token") == nil)
                #expect(try await scene.vault.accounts().isEmpty)
            }
        }
    }

    @Test("a grant whose access tokens are over is taken as alive, and a refresh helps")
    func noAccessToken() async throws {
        let server = RotatingServer()
        let transport = ScriptedTransport { request in
            request.request.url.string == Self.revocation
                ? .response(200) : server.answer(to: request)
        }
        try await withScene(transport) { scene in
            try await scene.vault.add(Self.registration(.bearer), Self.tokens)
            scene.clock.advance(by: 3601)
            let error = await vaultError { try await scene.vault.signOut("work") }
            #expect(error?.code == .revocationFailed)
            #expect(error?.facts[.reason] == "no_access_token")
            #expect(transport.requestCount == 0)
            #expect(try await scene.vault.accounts().count == 1)
            _ = try await scene.vault.refresh("work")
            #expect(try await scene.vault.signOut("work").failure == nil)
        }
    }

    @Test("an access token that its server does not know any more speaks for nothing")
    func unheard() async throws {
        let answer = ScriptedAnswer.response(200, body: #"{"ok":false,"error":"invalid_auth"}"#)
        try await withScene(ScriptedTransport(answer)) { scene in
            try await scene.vault.add(Self.registration(.bearer), Self.tokens)
            let error = await vaultError { try await scene.vault.signOut("work") }
            #expect(error?.facts[.reason] == "no_access_token")
            #expect(try await scene.vault.accounts().count == 1)
        }
    }

    @Test("the newest of several access tokens is the one")
    func newest() async throws {
        let transport = ScriptedTransport(
            .response(200, body: #"{"access_token":"narrow","expires_in":3600}"#),
            .response(200)
        )
        try await withScene(transport) { scene in
            try await scene.vault.add(Self.registration(.bearer), Self.tokens)
            scene.clock.advance(by: 60)
            let narrow = try await scene.vault.accessToken(for: "work", scope: Scope(["narrow"]))
            #expect(narrow.text == "narrow")
            #expect(try await scene.vault.signOut("work").failure == nil)
            #expect(transport.requests.last?.header("Authorization") == Secret("Bearer narrow"))
        }
    }

    @Test("a provider's entry says where and how, as long as the token endpoint is its own")
    func ofTheCatalogue() async throws {
        func added(tokenEndpoint: String) async throws -> AccountSettings? {
            var settings: AccountSettings?
            try await withScene { scene in
                var registration = AccountRegistration.testing("work")
                registration.tokenEndpoint = EndpointURL(unchecked: tokenEndpoint)
                registration.refresh.provider = "strava"
                try await scene.vault.add(registration, Self.tokens)
                settings = try scene.stored().settings
            }
            return settings
        }
        let own = try await added(tokenEndpoint: "https://www.strava.com/api/v3/oauth/token")
        #expect(own?.revocationEndpoint?.string == "https://www.strava.com/oauth/deauthorize")
        #expect(own?.revocationForm == .accessToken)
        let other = try await added(tokenEndpoint: "https://strava.example/token")
        #expect(other?.revocationEndpoint == nil && other?.revocationForm == .standard)
    }

    @Test("an endpoint that was told is none of the provider's, and has the form of RFC 7009")
    func told() async throws {
        try await withScene { scene in
            var registration = AccountRegistration.testing("work")
            registration.tokenEndpoint = EndpointURL(
                unchecked: "https://www.strava.com/api/v3/oauth/token"
            )
            registration.refresh.provider = "strava"
            registration.revocationEndpoint = EndpointURL(unchecked: Self.revocation)
            try await scene.vault.add(registration, Self.tokens)
            let settings = try scene.stored().settings
            #expect(settings.revocationEndpoint?.string == Self.revocation)
            #expect(settings.revocationForm == .standard)
        }
    }
}
