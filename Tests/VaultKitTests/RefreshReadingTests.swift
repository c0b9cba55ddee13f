import FoundationEssentials
import OAuth
import Platform
import Testing
import VaultCrypto
import VaultStore

@testable import VaultKit

@Suite struct RefreshReadingTests {
    private func abandonment(
        _ failure: RefreshFailure,
        failures: Int = 0,
        age: Double = 3601,
        random: Double
    ) -> Abandonment {
        let account = StoredAccount.fixture(
            age: age,
            failure: failures == 0 ? nil : "unreachable",
            failureCount: failures
        )
        return RefreshReading.abandonment(
            of: failure,
            account: account,
            now: .fixed,
            random: random
        )
    }

    private func pause(_ abandonment: Abandonment) -> Double? {
        abandonment.health.due?.timeIntervalSince(Moment.fixed.wall)
    }

    @Test("the shortest back-off is a whole second, which is what the store can keep")
    func shortestBackoff() {
        let failure = RefreshFailure(.notSent(.connectionFailed), host: "as.example", attempt: 1)
        #expect(pause(abandonment(failure, random: 0)) == 1)
        #expect(pause(abandonment(failure, random: 0.8)) == 2)
    }

    @Test("D6: an outcome that is unknown waits ten seconds at least")
    func unknownOutcome() {
        let failure = RefreshFailure(.ambiguous(.timedOut), host: "as.example", attempt: 1)
        #expect(pause(abandonment(failure, random: 0)) == 10)
        #expect(abandonment(failure, random: 0).outcomeIsUnknown)
    }

    @Test(
        "Retry-After holds between a second and an hour",
        arguments: [(0.0, 1.0), (120, 120), (1e9, 3600)]
    )
    func retryAfter(asked: Double, expected: Double) {
        let answer = TokenEndpointError(
            class: .throttled,
            code: nil,
            description: nil,
            retryAfter: asked,
            interval: nil,
            status: 429,
            refreshToken: nil
        )
        let failure = RefreshFailure(answer, host: "as.example", attempt: 1)
        let found = abandonment(failure, random: 0)
        #expect(pause(found) == expected)
        #expect(RefreshSchedule.pause(found.health, at: .fixed) == expected)
    }

    @Test(
        "the cap is five minutes while the token lives, half an hour after",
        arguments: [
            (3000.0, 300.0), (3601, 1800),
        ]
    )
    func cap(age: Double, expected: Double) {
        let failure = RefreshFailure(.notSent(.connectionFailed), host: "as.example", attempt: 1)
        let found = abandonment(failure, failures: 50, age: age, random: 1)
        #expect(pause(found) == expected)
        #expect(found.health.failures?.count == 51)
    }

    @Test("a dead grant has no due time; refused the second time its rotation was lost")
    func deadGrant() {
        let answer = TokenEndpointError(
            class: .grantRefused,
            code: "invalid_grant",
            description: nil,
            retryAfter: nil,
            interval: nil,
            status: 400,
            refreshToken: nil
        )
        for (attempt, reason) in [(1, SignInNeeded.Reason.grantRefused), (2, .rotationLost)] {
            let failure = RefreshFailure(answer, host: "as.example", attempt: attempt)
            let found = abandonment(failure, random: 1)
            #expect(found.health.due == nil)
            #expect(found.health.state == .signInNeeded)
            #expect(found.signInNeeded?.reason == reason)
            #expect(!found.outcomeIsUnknown)
        }
    }
}
