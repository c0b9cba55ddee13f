import FoundationEssentials
import OAuth
import Platform
import Testing
import VaultCrypto

@testable import VaultKit
@testable import VaultStore

/// What the provider catalogue adds to an account when it is stored.
@Suite struct ProviderRegistrationTests {
    private static let now = Moment(
        wall: Date(timeIntervalSince1970: 1_800_000_000),
        bootID: "boot",
        uptime: 100
    )

    private func account(
        _ provider: String?,
        at endpoint: String = "https://as.example/token",
        _ options: RefreshOptions = RefreshOptions()
    ) throws -> NewAccount {
        var options = options
        options.provider = provider
        return AccountRegistration(
            name: "work",
            client: Client(id: ClientID(rawValue: "c")),
            tokenEndpoint: try EndpointURL(endpoint),
            requestedScope: Scope(["mail"]),
            refresh: options
        ).newAccount(
            TokenResponse(accessToken: Secret("at"), refreshToken: Secret("rt")),
            id: nil,
            generation: 1,
            sent: Self.now,
            now: Self.now
        )
    }

    @Test func whatItSaysIsSealedWithTheAccount() throws {
        let new = try account("figma", at: "https://api.figma.com/v1/oauth/token")
        #expect(new.settings.refresh.rotation == RefreshTokenRotation.none)
        #expect(
            new.settings.refreshRequest(Secret("rt")).url.string
                == "https://api.figma.com/v1/oauth/refresh"
        )
        // Figma gets no token of another server.
        let other = try account("figma")
        #expect(
            other.settings.refreshRequest(Secret("rt")).url.string == "https://as.example/token"
        )
    }

    @Test func b16AProviderThatWantsTheScopeGetsIt() throws {
        let body = try account("microsoft").settings.refreshRequest(Secret("rt")).body
        #expect(body?.reveal { $0.contains("scope=mail") } == true)
        let plain = try account(nil).settings.refreshRequest(Secret("rt")).body
        #expect(plain?.reveal { $0.contains("scope") } == false)
    }

    @Test func jsonWhereTheProviderWantsIt() throws {
        let request = try account("notion").settings.refreshRequest(Secret("rt"))
        #expect(request.body?.reveal { $0.first } == "{")
    }

    @Test("a name nobody knows changes nothing", arguments: [nil, "no-such-provider"])
    func unknown(provider: String?) throws {
        let told = RefreshOptions(rotation: .strict, parameters: [RequestParameter("a", "1")])
        var kept = try account(provider, told).settings.refresh
        #expect(kept.provider == provider)
        kept.provider = nil
        #expect(kept == told)
    }

    @Test func anUnknownLifetimeIsPlannedAsTheCatalogueSays() throws {
        // GitLab's tokens last two hours, those of nobody in particular one.
        let due = try [nil, "gitlab"].map { name in
            try account(name).health.due.map { $0.timeIntervalSince(Self.now.wall) } ?? 0
        }
        #expect(due[0] > 0 && due[0] < 3600)
        #expect(due[1] > 3600 && due[1] < 7200)
        // It stays unknown to everybody else.
        #expect(try account("gitlab").tokens.defaultToken?.lifetime == nil)
    }
}
