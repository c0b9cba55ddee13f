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

/// Each provider of the catalogue drives what it has data for: a sign-in where it says how, else an
/// account that is added, and then a refresh and the way out.
@Suite struct ProviderDriveTests {
    private static let catalogue = ProviderCatalogue.builtIn
    private static let browsers = catalogue.names.filter { name in
        catalogue[name]?.signIn.authorizationEndpoint != nil
    }
    private static let devices = catalogue.names.filter { name in
        catalogue[name]?.signIn.deviceAuthorizationEndpoint != nil
    }
    private static let others = catalogue.names.filter { !(browsers + devices).contains($0) }

    // MARK: - A browser on a real socket

    @Test("a browser signs in, the tokens are refreshed and revoked", arguments: browsers)
    func browser(name: String) async throws {
        let drive = try ProviderDrive(name)
        let server = ScriptedTransport(drive.login.scripted, drive.refresh.scripted)
        try await TemporaryVault.use(isVolatile: true) { temporary in
            let vault = try await temporary.open(transport: server)
            let signIns = SignIns(vault: vault, transport: server, clock: SystemClock())
            let signIn = try await signIns.begin(
                SignInRequest(drive.document(), for: "work", remembered: nil)
            )
            let page = try await Self.comeBack(to: signIn, drive)
            #expect(page?.status == 200)
            Self.check(try #require(server.requests.first), of: drive, signIn)
            try await Self.refreshAndSignOut(drive, vault, server)
            await signIns.stop()
            await vault.close()
        }
    }

    private static func refreshAndSignOut(
        _ drive: ProviderDrive,
        _ vault: Vault,
        _ server: ScriptedTransport,
        at tokenEndpoint: EndpointURL? = nil
    ) async throws {
        let first = try await vault.accessToken(for: "work")
        #expect(first.value.reveal { $0 } == drive.login.expect.access_token)
        let before = server.requestCount
        let second = try await vault.refresh("work")
        #expect(second.value.reveal { $0 } == drive.refresh.expect.access_token)
        #expect(server.requestCount == before + 1)
        drive.check(refreshing: try #require(server.requests.last), at: tokenEndpoint)
        try await drive.signOut(of: vault, server)
    }

    /// The browser's way: to the page that the provider is known for, and back.
    private static func comeBack(to signIn: SignIn, _ drive: ProviderDrive) async throws -> Page? {
        let way = try #require(signIn.way as? BrowserWay)
        let url = way.authorizationURL
        let endpoint = try #require(drive.entry.signIn.authorizationEndpoint?.url)
        #expect(url.string.hasPrefix(endpoint.string + "?"))
        let query = Dictionary(
            FormCoding.decode(url.query ?? "").map { ($0.name, $0.value) },
            uniquingKeysWith: { first, _ in first }
        )
        for parameter in drive.entry.signIn.authorizationParameters {
            #expect(query[parameter.name] == parameter.value)
        }
        #expect(query["scope"] == drive.scope)
        #expect((query["code_challenge"] != nil) == drive.entry.signIn.takesProofKey)
        let state = query["state"] ?? ""
        let port = UInt16(clamping: EndpointURL(unchecked: way.redirectURI).port)
        return try await Browser.get(port, "/callback?code=c&state=\(state)")
    }

    private static func check(_ exchange: SentRequest, of drive: ProviderDrive, _ signIn: SignIn) {
        let member = { ProviderDrive.member($0, exchange) }
        #expect(exchange.request.url == drive.entry.tokenEndpoint)
        #expect(member("grant_type") == "authorization_code")
        #expect(member("code") == "c")
        #expect(member("redirect_uri") == (signIn.way as? BrowserWay)?.redirectURI)
        #expect((member("code_verifier") != nil) == drive.entry.signIn.takesProofKey)
        for parameter in drive.entry.signIn.tokenParameters {
            #expect(member(parameter.name) == parameter.value)
        }
        drive.check(authentication: exchange)
    }

    // MARK: - A device

    @Test("a device signs in, where the provider has a way for one", arguments: devices)
    func device(name: String) async throws {
        let drive = try ProviderDrive(name)
        let codes = try CorpusDevice.answer(of: name)
        let server = ScriptedTransport(
            codes.scripted,
            drive.login.scripted,
            drive.refresh.scripted
        )
        try await TemporaryVault.use(isVolatile: true) { temporary in
            let clock = ManualClock()
            let vault = try await temporary.open(transport: server, clock: clock)
            let signIns = SignIns(vault: vault, transport: server, clock: clock)
            let signIn = try await signIns.begin(
                SignInRequest(drive.document(flow: "device"), for: "work", remembered: nil)
            )
            let asked = try #require(server.requests.first)
            #expect(asked.request.url == drive.entry.signIn.deviceAuthorizationEndpoint?.url)
            #expect(ProviderDrive.member("scope", asked) == drive.scope)
            for parameter in drive.entry.signIn.authorizationParameters {
                #expect(ProviderDrive.member(parameter.name, asked) == parameter.value)
            }
            try await clock.waitForSleepers(1)
            clock.advanceToNextWake(within: .infinity)
            guard case .ready = await signIn.outcome(within: 20) else {
                Issue.record("the device was not signed in")
                return
            }
            let poll = try #require(server.requests.last)
            #expect(poll.request.url == drive.entry.tokenEndpoint)
            #expect(ProviderDrive.member("device_code", poll) == codes.expect.device_code)
            try await Self.refreshAndSignOut(drive, vault, server)
            await signIns.stop()
            await vault.close()
        }
    }

    // MARK: - What is added

    /// What a token endpoint is that no entry says.
    private static let elsewhere = EndpointURL(unchecked: "https://token.example/token")
    /// The corpus has no grant of these that can be refreshed: no answer, or none with a refresh token.
    private static let withoutGrant = ["coros", "shopline"]

    @Test("an account is added where the provider does not say how to sign in", arguments: others)
    func addition(name: String) async throws {
        let drive = try ProviderDrive(name, isAdded: true)
        let endpoint = drive.entry.tokenEndpoint ?? Self.elsewhere
        let hasAnswer = name != "coros"
        let answer = try hasAnswer ? drive.refresh : .failure(of: name)
        let server = ScriptedTransport(answer.scripted)
        try await TemporaryVault.use(isVolatile: true) { temporary in
            let vault = try await temporary.open(transport: server)
            let addition = try AccountAddition(Self.addition(drive, endpoint))
            let registration = try addition.registration(
                AccountDefaults(),
                providers: ProviderFolder(temporary.location)
            )
            let body = HTTPResponse(status: 200, body: addition.tokenResponse)
            let read = registration.answerReader.read(body, countingFrom: SystemClock().now().wall)
            if case .granted(let granted) = read {
                try await vault.add(registration, granted)
            } else {
                #expect(Self.withoutGrant.contains(name))
                try await vault.add(registration, Self.plain(drive.login))
            }
            if hasAnswer {
                try await Self.refreshAndSignOut(drive, vault, server, at: endpoint)
            } else {
                let error = await #expect(throws: VaultError.self) {
                    try await vault.refresh("work")
                }
                #expect(error?.code == .clientRefused)
                try await drive.signOut(of: vault, server)
            }
            await vault.close()
        }
    }

    /// The tokens of a line as somebody has them who knows how to read it.
    private static func plain(_ line: CorpusAnswer) -> TokenResponse {
        TokenResponse(
            accessToken: Secret(line.expect.access_token ?? ""),
            refreshToken: line.expect.refresh_token.map { Secret($0) }
        )
    }

    private static func addition(_ drive: ProviderDrive, _ endpoint: EndpointURL) throws -> [UInt8]
    {
        let authentication = drive.entry.clientAuthentication ?? .clientSecretBasic
        var document = AddAccountDocument(
            name: "work",
            tokenEndpoint: endpoint.string,
            clientID: "client",
            clientSecret: "s3cret",
            clientAuthentication: authentication.rawValue,
            issuer: nil,
            scope: [],
            tokenResponse: drive.login.body ?? "",
            refresh: AddAccountDocument.Refresh(provider: drive.name)
        )
        document.providerParameters = drive.parameters.isEmpty ? nil : drive.parameters
        return try WireJSON.encode(document)
    }

    @Test func noProviderIsLeftOut() {
        #expect(Set(Self.browsers + Self.devices + Self.others) == Set(Self.catalogue.names))
        #expect(Self.browsers.count >= 30 && Self.devices.count >= 6)
        let revoking = Self.catalogue.names.filter { Self.catalogue[$0]?.signIn.revocation != nil }
        #expect(revoking.count >= 12)
    }
}
