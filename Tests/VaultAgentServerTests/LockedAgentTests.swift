import FoundationEssentials
import Platform
import Testing
import VaultAgentClient
import VaultCrypto
import VaultHTTPServer
import VaultKit
import VaultStore

@testable import VaultAgentServer

/// What a locked agent says, and what unlocks it.
///
/// Row F-55 of the fault matrix.
@Suite struct LockedAgentTests {
    @Test(
        "answers 423 to",
        arguments: [
            ("GET", "/v1/accounts"), ("POST", "/v1/accounts"), ("DELETE", "/v1/accounts/work"),
            ("GET", "/v1/accounts/work/token"), ("POST", "/v1/accounts/work/refresh"),
            ("POST", "/v1/accounts/work/select"), ("POST", "/v1/sign-ins"),
            ("GET", "/v1/sign-ins/x"), ("DELETE", "/v1/sign-ins/x"),
        ]
    )
    func everythingElse(method: String, target: String) async throws {
        let agent = try await AgentFixture.locked()
        let body = target == "/v1/accounts" ? Addition().json : Self.signIn
        let answer = await agent.answer(method, target, body: method == "POST" ? body : "")
        #expect(answer.status == 423)
        let failure = try WireJSON.decode(ErrorDocument.self, from: answer.body).error
        #expect(failure.code == "locked" && failure.facts == ["reason": "no_key_file_slot"])
        #expect(agent.server.asked.isEmpty)
        await agent.service.stop()
    }

    @Test func saysThatItIsLockedAndCanBeStopped() async throws {
        let agent = try await AgentFixture.locked()
        let document = try await agent.status()
        #expect(document.running && document.locked == true && document.locksAt == nil)
        #expect(document.lockReason == "no_key_file_slot")
        #expect(await agent.answer("POST", "/v1/lock").status == 200)
        #expect(await agent.answer("POST", "/v1/stop").status == 204)
        #expect(!agent.service.vault.isNeeded)
        await agent.service.stop()
        #expect(await agent.unlock().status == 503)
    }

    @Test func aMissingKeyFileIsNoReasonNotToServe() async throws {
        let agent = try await AgentFixture.make()
        try FileSystem.remove(agent.directory.path + "/key")
        let service = AgentService(
            agent.location,
            transport: agent.server,
            log: try AgentLog(agent.location)
        )
        try await service.vault.start()
        #expect(service.vault.lockReason == "key_file_missing")
        await service.stop()
        await agent.service.stop()
    }

    @Test func eachSecretUnlocks() async throws {
        let agent = try await AgentFixture.locked()
        let file = try VaultFile(agent.location)
        let added = try file.addKeySlot(.recoveryKey, authorizedBy: AgentFixture.typed, now: .now)
        let recovery = try #require(added.recoveryKey).reveal { $0 }
        let keyPath = agent.directory.path + "/key"
        _ = try file.addKeySlot(
            .keyFile(path: keyPath),
            authorizedBy: AgentFixture.typed,
            now: .now
        )
        let key = Base64Text.of(try FileSystem.read(keyPath, limit: 32))
        let bodies = [
            AgentFixture.passphrase, #"{"recoveryKey":"\#(recovery)"}"#, #"{"key":"\#(key)"}"#,
            #"{"keyFile":"\#(keyPath)"}"#, "{}", "",
        ]
        for body in bodies {
            #expect(await agent.answer("POST", "/v1/unlock", body: body).status == 200)
            #expect(try await agent.status().locked == false)
            #expect(await agent.answer("GET", "/v1/accounts").status == 200)
            #expect(await agent.answer("POST", "/v1/lock").status == 200)
            #expect(try await agent.status().lockReason == "asked")
        }
        await agent.service.stop()
    }

    @Test(
        "refuses",
        arguments: [
            (#"{"passphrase":"another one"}"#, "passphrase_wrong"),
            (#"{"recoveryKey":"0000"}"#, "no_recovery_slot"),
            (
                #"{"key":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="}"#,
                "no_key_file_slot"
            ),
            ("{}", "no_key_file_slot"),
        ]
    )
    func wrongSecret(body: String, reason: String) async throws {
        let agent = try await AgentFixture.locked()
        let answer = await agent.answer("POST", "/v1/unlock", body: body)
        #expect(answer.status == 423)
        let failure = try WireJSON.decode(ErrorDocument.self, from: answer.body).error
        #expect(failure.code == "locked" && failure.facts["reason"] == reason)
        #expect(try await agent.status().locked == true)
        await agent.service.stop()
    }

    @Test(
        "refuses a body that is no request",
        arguments: [
            "[]", "null", "{", #"{"passphrase":1}"#, #"{"passphrase":""}"#, #"{"other":"x"}"#,
            #"{"passphrase":"canary-passphrase","recoveryKey":"x"}"#, #"{"key":"AAAA"}"#,
            #"{"key":"canary-passphrase!"}"#, #"{"keyFile":"relative"}"#,
            #"{"passphrase":"a\u0000b"}"#, #"{"lockAfterSeconds":0}"#,
            #"{"lockAfterSeconds":"60"}"#, #"{"lockAfterSeconds":-1}"#,
            #"{"lockAfterSeconds":1e300}"#,
        ]
    )
    func body(text: String) async throws {
        let agent = try await AgentFixture.locked()
        let answer = await agent.answer("POST", "/v1/unlock", body: text)
        #expect(answer.status == 400)
        let failure = try WireJSON.decode(ErrorDocument.self, from: answer.body).error
        #expect(failure.code == "invalid_input")
        #expect(!answer.text.contains("canary"))
        await agent.service.stop()
    }

    /// A passphrase is bytes, whatever JSON says of text.
    @Test func aPassphraseThatIsNoTextUnlocks() async throws {
        let bytes: [UInt8] = [0xff, 0x20, 0x22, 0x5c, 0x09, 0xc3]
        let agent = try await AgentFixture.make(
            slots: [.passphrase(Secret(bytes: bytes), AgentFixture.cheap)]
        )
        let body = Array(#"{"passphrase":""#.utf8) + [0xff, 0x20] + Array(#"\"\\\t"#.utf8)
        let answer = await agent.answer(
            HTTPServerRequest(
                method: "POST",
                target: "/v1/unlock",
                body: body + [0xc3] + Array(#""}"#.utf8)
            )
        )
        #expect(answer.status == 200)
        await agent.service.stop()
    }

    @Test func makesAnAccountTheCurrentOne() async throws {
        let agent = try await AgentFixture.unlocked()
        var other = Addition()
        other.name = "home"
        other.tokenResponse = #"{"access_token":"b","refresh_token":"other","token_type":"Bearer"}"#
        #expect(await agent.answer("POST", "/v1/accounts", body: other.json).status == 201)
        #expect(try await agent.vault.currentAccount() == "work")
        #expect(await agent.answer("POST", "/v1/accounts/home/select").status == 204)
        #expect(try await agent.vault.currentAccount() == "home")
        #expect(await agent.answer("POST", "/v1/accounts/none/select").status == 404)
        await agent.service.stop()
    }

    @Test func writesDownWhatHappenedAndNoSecret() async throws {
        let agent = try await AgentFixture.locked()
        _ = await agent.answer("POST", "/v1/unlock", body: #"{"passphrase":"canary-wrong"}"#)
        _ = await agent.unlock()
        _ = await agent.answer("POST", "/v1/lock")
        let log = try agent.log()
        let entries = [
            #""reason":"no_key_file_slot","time""#, #""what":"unlock_refused""#,
            #""reason":"passphrase_wrong""#, #""what":"unlocked","with":"passphrase""#,
            #""reason":"asked""#, #""what":"locked""#,
        ]
        for entry in entries { #expect(log.contains(entry), "\(entry)") }
        #expect(!log.contains("canary"))
        await agent.service.stop()
    }

    private static let signIn = """
        {"name":"work","issuer":"https://as.example","clientID":"c","scope":[]}
        """
}

extension AgentFixture {
    static let cheap = PassphraseCost(passes: 1, memory: 8 << 20)
    static let typed = Unlock.passphrase(Secret("canary-passphrase"))
    /// The body that unlocks with it.
    static let passphrase = #"{"passphrase":"canary-passphrase"}"#

    /// An agent whose vault a passphrase alone opens.
    static func locked(
        _ server: ScriptedServer = ScriptedServer(),
        clock: any VaultClock = SystemClock()
    ) async throws -> AgentFixture {
        try await make(
            server,
            slots: [.passphrase(Secret("canary-passphrase"), cheap)],
            clock: clock
        )
    }

    /// The same once it is unlocked, with an account.
    static func unlocked(
        _ server: ScriptedServer = ScriptedServer(),
        clock: any VaultClock = SystemClock()
    ) async throws -> AgentFixture {
        let agent = try await locked(server, clock: clock)
        _ = await agent.unlock()
        _ = await agent.answer("POST", "/v1/accounts", body: Addition().json)
        return agent
    }

    @discardableResult
    func unlock(_ body: String = passphrase) async -> HTTPServerResponse {
        await answer("POST", "/v1/unlock", body: body)
    }

    func status() async throws -> AgentDocument {
        let answer = await answer("GET", "/v1/status")
        return try WireJSON.decode(AgentStatusDocument.self, from: answer.body).agent
    }
}
