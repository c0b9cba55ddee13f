import FoundationEssentials
import OAuth
import Testing
import VaultCrypto

/// When the token endpoint is asked again, and when no more.
@Suite struct DevicePollingTests {
    private static func polling(interval: Double = 5) throws -> DevicePolling {
        let answer = DeviceAuthorization.read(
            HTTPResponse(
                status: 200,
                body: Secret(
                    """
                    {"device_code":"d","user_code":"u","verification_uri":"https://a.example/d",\
                    "interval":\(interval)}
                    """
                )
            ),
            countingFrom: .distantPast
        )
        guard case .granted(let authorization) = answer else { throw NoCodes() }
        return DevicePolling(authorization)
    }

    private struct NoCodes: Error {}

    private static func answer(_ status: Int, _ body: String) -> TokenAnswer {
        TokenResponseReader(grantType: .deviceCode).read(
            HTTPResponse(status: status, body: Secret(body)),
            countingFrom: .distantPast
        )
    }

    /// What comes after an answer, in a word.
    private static func step(
        _ polling: inout DevicePolling,
        _ status: Int,
        _ body: String
    ) -> String {
        switch polling.step(after: answer(status, body)) {
        case .wait(let seconds): "\(seconds)"
        case .granted: "granted"
        case .failed(let error): "\(error.class)"
        }
    }

    private static let pending = #"{"error":"authorization_pending"}"#
    private static let slowDown = #"{"error":"slow_down"}"#

    @Test func cliH05SlowDownWidensTheIntervalForGood() throws {
        var polling = try Self.polling()
        #expect(Self.step(&polling, 400, Self.pending) == "5.0")
        #expect(Self.step(&polling, 400, Self.slowDown) == "10.0")
        #expect(Self.step(&polling, 400, Self.pending) == "10.0")
        #expect(Self.step(&polling, 400, Self.slowDown) == "15.0")
        #expect(Self.step(&polling, 400, Self.pending) == "15.0")
        // GitHub names the new one, which is never shorter than the standard's.
        #expect(Self.step(&polling, 200, #"{"error":"slow_down","interval":30}"#) == "30.0")
        #expect(Self.step(&polling, 200, #"{"error":"slow_down","interval":1}"#) == "35.0")
        #expect(Self.step(&polling, 200, #"{"access_token":"a"}"#) == "granted")
    }

    @Test func silenceDoublesTheWaitUntilAnAnswerComes() throws {
        var polling = try Self.polling()
        #expect(polling.waitAfterSilence() == 10)
        #expect(polling.waitAfterSilence() == 20)
        #expect(Self.step(&polling, 503, "") == "40.0")
        #expect(Self.step(&polling, 400, "") == "60.0")
        #expect(polling.waitAfterSilence() == 60)
        #expect(Self.step(&polling, 400, Self.pending) == "5.0")
        #expect(polling.waitAfterSilence() == 10)
        var slow = try Self.polling(interval: 90)
        #expect(slow.waitAfterSilence() == 90)
        var busy = try Self.polling(interval: 0.001)
        #expect(Self.step(&busy, 400, Self.pending) == "1.0")
    }

    @Test(
        "ends at once",
        arguments: [
            (400, #"{"error":"access_denied"}"#, "accessDenied"),
            (400, #"{"error":"authorization_declined"}"#, "accessDenied"),
            (400, #"{"error":"expired_token"}"#, "expiredToken"),
            (400, #"{"error":"invalid_grant"}"#, "grantRefused"),
            (401, #"{"error":"invalid_client"}"#, "clientRefused"),
            (400, #"{"error":"invalid_scope"}"#, "requestRefused"),
            (200, "<html>", "ambiguous(OAuth.AnswerClass.Ambiguity.malformed)"),
        ]
    )
    func ends(status: Int, body: String, answerClass: String) throws {
        var polling = try Self.polling()
        #expect(Self.step(&polling, status, body) == answerClass)
    }

    @Test func whoIsToldToWaitWaits() throws {
        var polling = try Self.polling()
        let response = HTTPResponse(
            status: 429,
            headers: [(name: "Retry-After", value: "77")],
            body: Secret("")
        )
        let answer = TokenResponseReader(grantType: .deviceCode)
            .read(response, countingFrom: .distantPast)
        guard case .wait(let seconds) = polling.step(after: answer) else {
            Issue.record("it did not wait")
            return
        }
        #expect(seconds == 77)
    }
}
