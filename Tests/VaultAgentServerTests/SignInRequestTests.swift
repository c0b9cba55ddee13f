import OAuth
import Testing
import VaultAgentClient
import VaultCrypto
import VaultKit

@testable import VaultAgentServer

/// What a sign-in takes from the account's last one.
@Suite struct SignInRequestTests {
    private static let issuer = "https://as.example"

    private static let remembered = AccountRegistration(
        name: "work",
        client: Client(
            id: ClientID(rawValue: "client"),
            secret: Secret("s3cret"),
            authentication: .clientSecretBasic
        ),
        tokenEndpoint: EndpointURL(unchecked: "https://as.example/token"),
        issuer: issuer,
        redirectURI: "http://127.0.0.1:8400/callback",
        requestedScope: Scope(["a", "b"]),
        refresh: RefreshOptions(rotation: .strict, sendsScope: true)
    )

    private func request(
        issuer: String? = nil,
        clientID: String? = nil,
        secret: String? = nil,
        scope: [String] = [],
        revocationEndpoint: String? = nil,
        remembered: AccountRegistration? = remembered
    ) throws -> SignInRequest {
        var document = BeginSignInDocument(
            name: "work",
            issuer: issuer,
            clientID: clientID,
            clientSecret: secret,
            scope: scope,
            redirectURI: nil
        )
        document.revocationEndpoint = revocationEndpoint
        return try SignInRequest(document, for: "work", remembered: remembered)
    }

    @Test func aNameAloneTakesEverything() throws {
        let request = try request()
        #expect(request.server.issuer == Self.issuer)
        #expect(request.clientID?.rawValue == "client")
        #expect(request.clientSecret == Secret("s3cret"))
        #expect(request.requestedScope == Scope(["a", "b"]))
        #expect(request.redirectURI == "http://127.0.0.1:8400/callback")
        #expect(request.refresh == RefreshOptions(rotation: .strict, sendsScope: true))
    }

    @Test(arguments: [("https://other.example", nil), (nil, "another")] as [(String?, String?)])
    func theSecretGoesToNobodyElse(issuer: String?, clientID: String?) throws {
        let request = try request(issuer: issuer, clientID: clientID)
        #expect(request.clientSecret == nil)
        #expect(request.redirectURI == nil)
        #expect(request.refresh == RefreshOptions())
    }

    @Test func whatIsToldComesFirst() throws {
        let request = try request(secret: "new", scope: ["c"])
        #expect(request.clientSecret == Secret("new"))
        #expect(request.requestedScope == Scope(["c"]))
    }

    @Test func anIssuerThatNobodyToldIsNamed() throws {
        let error = try #require(throws: VaultError.self) { try request(remembered: nil) }
        #expect(error.code == .invalidInput)
        #expect(error.facts[.field] == "issuer")
    }

    /// Such a one may be registered; a client of another server is nothing there.
    @Test(arguments: [issuer, "https://other.example"])
    func aClientThatNobodyToldIsNone(issuer: String) throws {
        let old = issuer == Self.issuer ? nil : Self.remembered
        #expect(try request(issuer: issuer, remembered: old).clientID == nil)
    }

    @Test func theWayIsRememberedToo() throws {
        var remembered = Self.remembered
        remembered.signInFlow = .device
        remembered.deviceAuthorizationEndpoint = EndpointURL(unchecked: "https://as.example/d")
        let request = try request(remembered: remembered)
        #expect(request.flow == .device)
        #expect(request.deviceAuthorizationEndpoint?.string == "https://as.example/d")
        let other = try self.request(issuer: "https://other.example", remembered: remembered)
        #expect(other.deviceAuthorizationEndpoint == nil)
    }

    @Test func revocationGoesWhereTheAccountIsBoundToUnlessSomebodySaysOtherwise() throws {
        var remembered = Self.remembered
        remembered.revocationEndpoint = EndpointURL(unchecked: "https://as.example/old")
        var metadata = AuthorizationServerMetadata(
            endpoints: [:],
            token: EndpointURL(unchecked: "https://as.example/token")
        )
        let request = try request(remembered: remembered)
        #expect(request.revocation(metadata).endpoint == remembered.revocationEndpoint)
        metadata.revocationEndpoint = EndpointURL(unchecked: "https://as.example/revoke")
        #expect(request.revocation(metadata).endpoint == remembered.revocationEndpoint)
        let named = try self.request(issuer: Self.issuer, remembered: remembered)
        #expect(named.revocation(metadata).endpoint == metadata.revocationEndpoint)
        let told = try self.request(
            revocationEndpoint: "https://as.example/told",
            remembered: remembered
        )
        #expect(told.revocation(metadata).endpoint?.string == "https://as.example/told")
        let other = try self.request(issuer: "https://other.example", remembered: remembered)
        metadata.revocationEndpoint = nil
        #expect(other.revocation(metadata).endpoint == nil)
    }

    @Test func anotherServerHasScopesAndWaysOfItsOwn() throws {
        var remembered = Self.remembered
        remembered.signInFlow = .device
        let other = try request(issuer: "https://other.example", remembered: remembered)
        #expect(other.requestedScope.isEmpty && other.flow == .browser)
    }

    @Test func aStaticTokenIsOfNoClient() throws {
        var remembered = Self.remembered
        remembered.grantKind = .static
        let request = try request(remembered: remembered)
        #expect(request.clientID == nil && request.server.issuer == Self.issuer)
    }
}
