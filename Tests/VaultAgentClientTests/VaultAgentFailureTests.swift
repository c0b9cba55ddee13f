import FoundationEssentials
import Glibc
import OAuth
import Platform
import Testing
import VaultCrypto

@testable import VaultAgentClient

/// What becomes of a call when there is no agent to speak of.
@Suite(.timeLimit(.minutes(1))) struct VaultAgentFailureTests {
    @Test func nobodyListens() async throws {
        let vault = try PlantedVault()
        let error = await vaultError { try await vault.client.accessToken(for: "work") }
        #expect(error == VaultError(.noAgent) && error?.account == "work")
        #expect(error?.facts == [.path: vault.directory.path + "/agent.sock"])
        #expect(error?.isTransient == false)
        #expect(await vaultError { try await vault.client.accounts() } == VaultError(.noAgent))
    }

    @Test func thereIsNoVault() async throws {
        let directory = try TemporaryDirectory()
        for path in [directory.path, directory.path + "/nowhere"] {
            let client = try VaultAgent(VaultLocation(directory: path))
            let error = await vaultError { try await client.accounts() }
            #expect(error == VaultError(.noVault) && error?.facts[.path] == path)
        }
    }

    @Test func thereIsNoPlaceForAVault() async {
        await #expect(processExitsWith: .success) {
            for name in ["VAULT_HOME", "XDG_DATA_HOME", "HOME"] { unsetenv(name) }
            do throws(VaultError) {
                _ = try VaultAgent()
                exit(10)
            } catch {
                guard error.code == .noVault, error.facts[.reason] == "no_home" else { exit(11) }
            }
        }
    }

    /// Others could put a socket of theirs there, or one of ours that was not meant.
    @Test func inADirectoryOfOthersNobodyIsAsked() async throws {
        let vault = try PlantedVault()
        let listener = try vault.stoppedAgent()
        #expect(chmod(vault.directory.path, 0o770) == 0)
        let error = await vaultError { try await vault.client.accessToken(for: "work") }
        #expect(error == VaultError(.unsafePermissions))
        #expect(error?.facts[.found] == "mode 770")
        #expect(try listener.accept() == nil)
    }

    @Test("swift PE-09: a directory that cannot be read now is not one without a vault")
    func unreadable() async {
        await #expect(processExitsWith: .success) {
            guard geteuid() != 0 || seteuid(65_534) == 0 else { exit(9) }
            let vault = try PlantedVault()
            let agent = try vault.agent(200, #"{"account":"work","schemaVersion":1}"#)
            guard chmod(vault.directory.path, 0o000) == 0 else { exit(10) }
            let locked = await vaultError { try await vault.client.currentAccount() }
            guard locked?.code == .storage, locked?.isTransient == false else { exit(11) }
            guard chmod(vault.directory.path, 0o700) == 0,
                chmod(vault.directory.path + "/agent.sock", 0o000) == 0
            else { exit(12) }
            let closed = await vaultError { try await vault.client.currentAccount() }
            guard closed?.code == .storage, closed?.facts[.found] != nil else { exit(13) }
            guard chmod(vault.directory.path + "/agent.sock", 0o600) == 0 else { exit(14) }
            guard try await vault.client.currentAccount() == "work" else { exit(15) }
            _ = agent.received()
            // A sanitizer looks into the process at its end.
            guard seteuid(getuid()) == 0 else { exit(16) }
        }
    }

    @Test(.enabled(if: FileSystem.currentUser == 0, "becoming another user takes root"))
    func anotherUsersSocketGetsNotAByte() async {
        await #expect(processExitsWith: .success) {
            let vault = try PlantedVault()
            guard chmod(vault.directory.path, 0o777) == 0, seteuid(65534) == 0 else { exit(10) }
            let listener = try vault.stoppedAgent()
            guard seteuid(0) == 0, chmod(vault.directory.path, 0o700) == 0 else { exit(11) }
            let error = await vaultError { try await vault.client.accessToken(for: "work") }
            guard error?.code == .unsafePermissions, error?.facts[.found] == "65534",
                error?.facts[.reason] == "foreign_agent"
            else { exit(12) }
            guard let peer = try listener.accept() else { exit(13) }
            var byte: UInt8 = 0
            guard read(peer, &byte, 1) == 0 else { exit(14) }
        }
    }

    @Test("an agent's error is the vault's own")
    func errors() async throws {
        let vault = try PlantedVault()
        let agent = try vault.agent(
            429,
            #"{"error":{"account":"work","code":"throttled","#
                + #""facts":{"retry_after":"7","of_a_newer_agent":"x"}},"schemaVersion":1}"#
        )
        let error = await vaultError { try await vault.client.accessToken(for: "work") }
        #expect(error == VaultError(.throttled) && error?.account == "work")
        #expect(error?.retryAfter == 7 && error?.facts.count == 1)
        _ = agent.received()
    }

    private static let beginning =
        #"{"account":"work","accessToken":"at","tokenType":"Bearer","generation":7"#

    @Test(
        "an answer that makes no sense is no token",
        arguments: [
            (200, ""), (204, ""), (200, "null"), (200, "[]"), (200, "{}"), (200, beginning),
            (200, #"{"account":"other","accessToken":"at","tokenType":"Bearer","generation":7}"#),
            (200, #"{"account":"work","accessToken":"","tokenType":"Bearer","generation":7}"#),
            (200, #"{"account":"work","accessToken":7,"tokenType":"Bearer","generation":7}"#),
            (200, #"{"account":"work","accessToken":"at","tokenType":"Bearer","generation":-1}"#),
            (200, #"{"account":"work","accessToken":"at","tokenType":"Bearer","generation":"7"}"#),
            (200, beginning + #","expiresAt":"soon"}"#), (200, beginning + #","expiresAt":7}"#),
            (200, beginning + #","grantedScope":["a"]}"#), (200, beginning + "}}"),
            (404, ""), (500, "{}"), (503, "<html>"), (302, #"{"error":{}}"#),
        ]
    )
    func malformed(status: Int, body: String) async throws {
        let vault = try PlantedVault()
        let agent = try vault.agent(status, body)
        let error = await vaultError { try await vault.client.accessToken(for: "work") }
        #expect(error == VaultError(.storage) && error?.account == "work")
        #expect(error?.facts[.reason] == "malformed_answer" && error?.isTransient == false)
        _ = agent.received()
    }

    @Test("a token is read whatever a newer agent adds")
    func token() async throws {
        let vault = try PlantedVault()
        let agent = try vault.agent(
            200,
            Self.beginning
                + #","expiresAt":"2030-01-01T00:00:00Z","grantedScope":null,"warning":"new","x":[]}"#
        )
        let token = try await vault.client.accessToken(
            for: "work",
            scope: Scope(["a", "b"]),
            minimumLifetime: 90,
            newerThan: 6,
            deadline: 5
        )
        #expect(token.value == Secret("at") && token.generation == 7 && token.warning == nil)
        #expect(token.expiry == Date(timeIntervalSince1970: 1_893_456_000))
        #expect(
            agent.received().hasPrefix(
                "GET /v1/accounts/work/token?scope=a+b&min-valid=90.0&newer-than=6&deadline=5.0 "
            )
        )
    }

    @Test(
        "accounts and clients that make no sense are none",
        arguments: [
            "{}", #"{"accounts":[{"name":"a"}],"damaged":[],"schemaVersion":1}"#,
            #"{"account":"not a name","schemaVersion":1,"clients":7}"#,
        ]
    )
    func lists(body: String) async throws {
        let calls: [@Sendable (VaultAgent) async throws -> Void] = [
            { _ = try await $0.accounts() }, { _ = try await $0.account("a") },
            { _ = try await $0.clients() }, { _ = try await $0.damagedAccounts() },
        ]
        for call in calls {
            let vault = try PlantedVault()
            let agent = try vault.agent(200, body)
            // One of them has damaged accounts that are none.
            let error = await vaultError { try await call(vault.client) }
            #expect(error == nil || error?.facts[.reason] == "malformed_answer")
            _ = agent.received()
        }
    }

    @Test("accounts in a state that only a newer agent knows are for a person to look at")
    func newerState() async throws {
        let vault = try PlantedVault()
        let account = #"""
            "issuer":null,"expiresAt":null,"dueAt":null,"current":false,"generation":1,\#
            "failureCount":0,"lastFailure":null,"since":null,"firstSentAt":null,"sentAgainAt":null,\#
            "tokenEndpoint":"https://as.example/token","tags":null
            """#
        let agent = try vault.agent(
            200,
            #"{"accounts":[{"name":"a","state":"moonstruck","reason":"tide",\#(account)},"#
                + #"{"name":"b","state":"paused","reason":"moved",\#(account)}],"#
                + #""damaged":[],"schemaVersion":1}"#
        )
        let accounts = try await vault.client.accounts()
        #expect(accounts.map(\.state) == [.verifyBeforeUse, .paused])
        #expect(accounts.map(\.reason) == ["moonstruck", "moved"])
        _ = agent.received()
    }

    @Test("clients of which only a newer agent knows all are listed")
    func newerClient() async throws {
        let vault = try PlantedVault()
        let agent = try vault.agent(
            200,
            #"{"clients":[{"id":"c","tokenEndpoint":"https://as.example/token","accounts":1,"#
                + #""authentication":"dance","otherSecret":false,"state":"moonstruck","#
                + #""since":null,"nextTryAt":null,"pausedUntil":null,"rotation":"backwards","#
                + #""rotationSource":"rumour"}],"damaged":[],"schemaVersion":1}"#
        )
        let client = try #require(try await vault.client.clients().first)
        #expect(client.id == ClientID(rawValue: "c") && client.authentication == nil)
        #expect(client.state.rawValue == "moonstruck" && client.rotation == .unknown)
        _ = agent.received()
    }

    @Test("an agent that dies while it answers is asked again another time")
    func broken() async throws {
        let vault = try PlantedVault()
        let agent = try PlantedAgent(
            in: vault.directory.path,
            answering: "HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{"
        )
        let error = await vaultError { try await vault.client.accessToken(for: "work") }
        #expect(error == VaultError(.busy) && error?.facts[.reason] == "agent_broken")
        #expect(error?.isTransient == true)
        _ = agent.received()
    }
}
