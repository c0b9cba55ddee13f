import FoundationEssentials
import OAuth
import Testing
import VaultAgentClient
import VaultCrypto
import VaultKit
import VaultQRCode
import VaultStore
import VaultTesting

@testable import VaultAgentServer

/// Signing in on another device (RFC 8628).
@Suite(.timeLimit(.minutes(1))) struct DeviceSignInTests {
    @Test func cliH05SlowDownIsKept() async throws {
        let attempt = try await DeviceAttempt(
            DeviceServer([.pending, .slowDown, .pending, .silence, .pending, .granted])
        )
        // The first poll waits, too: nobody types that fast.
        for seconds in [5.0, 5, 10, 10, 20, 10] { #expect(try await attempt.wait() == seconds) }
        #expect(await attempt.outcome() == "ready")
        #expect(attempt.server.polls == 6)
        let file = try VaultFile(attempt.agent.location)
        try file.unlock(with: .keyFile)
        let account = try file.account(named: "work")
        #expect(account.tokens.refreshToken == Secret("canary-refresh"))
        #expect(account.settings.signInFlow == .device)
        await attempt.end()
    }

    @Test(
        "cli H06: ends at once",
        arguments: [
            (.error("access_denied"), "sign_in_failed device_denied"),
            (.error("expired_token"), "sign_in_failed device_expired"),
            (.error("invalid_grant"), "sign_in_failed device_refused invalid_grant"),
            (.error("invalid_client"), "client_refused device_refused invalid_client"),
            (.body(200, "<html>"), "sign_in_failed device_refused"),
        ] as [(DeviceServer.Answer, String)]
    )
    func cliH06EndsAtOnce(answer: DeviceServer.Answer, outcome: String) async throws {
        let attempt = try await DeviceAttempt(DeviceServer([.pending, answer]))
        for _ in 1...2 { _ = try await attempt.wait() }
        #expect(await attempt.outcome() == outcome)
        #expect(attempt.server.polls == 2)
        #expect(try await attempt.agent.vault.accounts().isEmpty)
        await attempt.end()
    }

    @Test func codesThatEndAreNotAskedAboutAnyMore() async throws {
        let attempt = try await DeviceAttempt(
            DeviceServer([], codes: (200, DeviceServer.codes.replacing("600", with: "12")))
        )
        for seconds in [5.0, 5, 2] { #expect(try await attempt.wait() == seconds) }
        #expect(await attempt.outcome() == "sign_in_failed device_expired")
        #expect(attempt.server.polls == 2)
        await attempt.end()
    }

    @Test func aCancelEndsTheWaitAtOnce() async throws {
        let attempt = try await DeviceAttempt(DeviceServer([]))
        try await attempt.clock.waitForSleepers(1)
        attempt.signIns.cancel(attempt.signIn.id)
        #expect(await attempt.outcome() == "sign_in_failed cancelled")
        await attempt.signIns.stop()
        #expect(attempt.clock.sleeperCount == 0 && attempt.server.polls == 0)
        await attempt.end()
    }

    @Test func tellsWhatThePersonNeedsAndNoSecret() async throws {
        let complete =
            #""verification_uri_complete":"https://as.example/device?c=AB-CD","user_code""#
        let codes = DeviceServer.codes.replacing(#""user_code""#, with: complete)
        let attempt = try await DeviceAttempt(DeviceServer([.slowDown], codes: (200, codes)))
        let first = attempt.signIn.document(nil)
        #expect(first.flow == "device" && first.state == .waiting && first.notice == nil)
        #expect(first.issuer == DeviceServer.issuer && first.authorizationURL == nil)
        #expect(first.device?.userCode == "AB-CD")
        #expect(first.device?.verificationURI == "https://as.example/device")
        #expect(first.device?.verificationURIComplete == "https://as.example/device?c=AB-CD")
        let modules = QRCode("https://as.example/device?c=AB-CD")?.modules
        #expect(first.device?.qrCode?.map { $0.map { $0 == "1" } } == modules)
        #expect(first.device?.expiresAt == attempt.clock.now().wall.addingTimeInterval(600))
        let text = String(decoding: try WireJSON.encode(first), as: UTF8.self)
        #expect(!text.contains("canary"))
        #expect(attempt.server.bodies == ["client_id=client&scope=a"])
        _ = try await attempt.wait()
        #expect(await eventually { attempt.signIn.document(nil).notice == .slowedDown })
        await attempt.end()
    }

    @Test(
        "tells why there are no codes",
        arguments: [
            (404, "", "client_refused", "device_codes_refused"),
            (400, #"{"error":"invalid_scope"}"#, "request_refused", "device_codes_refused"),
            (200, #"{"user_code":"u"}"#, "sign_in_failed", "device_codes_refused"),
            (429, "", "throttled", "device_codes_refused"),
        ]
    )
    func noCodes(status: Int, body: String, code: String, reason: String) async throws {
        let error = await #expect(throws: VaultError.self) {
            _ = try await DeviceAttempt(DeviceServer([], codes: (status, body)))
        }
        #expect(error?.code.rawValue == code && error?.facts[.reason] == reason)
        #expect(error?.facts[.host] == "as.example")
    }

    @Test func aPastedAddressIsNotForADevice() async throws {
        let attempt = try await DeviceAttempt(DeviceServer([]))
        let error = await #expect(throws: VaultError.self) {
            try await attempt.signIn.take(pasted: "http://127.0.0.1:1/callback?code=c&state=s")
        }
        #expect(error?.facts == [.field: "redirect", .reason: "not_asked_for"])
        await attempt.end()
    }
}
