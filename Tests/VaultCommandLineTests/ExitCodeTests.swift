import Testing
import VaultKit

@testable import VaultCommandLine

/// Every code there is; a new one belongs here, with the exit code that was decided for it.
enum ErrorCodes {
    static let exitCodes: [(VaultError.Code, ExitCode)] = [
        (.noVault, .failure), (.vaultExists, .failure), (.noSuchAccount, .noSuchAccount),
        (.noAccountChosen, .noSuchAccount), (.nameTaken, .failure), (.grantAlive, .failure),
        (.grantKnown, .failure), (.otherIdentity, .failure), (.revocationFailed, .failure),
        (.signInNeeded, .signInNeeded), (.verifyBeforeUse, .signInNeeded), (.paused, .signInNeeded),
        (.unreachable, .temporary), (.throttled, .temporary), (.massRefusal, .temporary),
        (.outcomeUnknown, .temporary), (.clientRefused, .failure), (.requestRefused, .failure),
        (.lifetimeTooShort, .failure), (.scopeMissing, .failure), (.notSaved, .notSaved),
        (.locked, .locked),
        (.busy, .busy), (.tampered, .damaged), (.damaged, .damaged),
        (.newerFormat, .newerFormat), (.unsafePermissions, .unsafePermissions),
        (.networkFileSystem, .unsafePermissions), (.storage, .failure), (.invalidInput, .failure),
        (.signInFailed, .failure), (.closed, .temporary), (.importRefused, .failure),
        (.noSuchClient, .failure), (.noAgent, .failure),
    ]
}

@Suite struct ExitCodeTests {
    @Test("each code has its exit code", arguments: ErrorCodes.exitCodes)
    func code(code: VaultError.Code, exitCode: ExitCode) {
        #expect(ExitCode(code) == exitCode)
        #expect(ErrorReport(VaultError(code)).exitCode == exitCode)
    }

    @Test func aCodeOfANewerAgentIsAFailure() {
        #expect(ExitCode(VaultError.Code(rawValue: "brand_new")) == .failure)
    }

    /// Fixed for ever: scripts compare them.
    @Test func numbersAreThoseOfTheDesign() {
        #expect(ExitCode.allCases.map(\.rawValue) == Array(0...11))
        let numbers: [(ExitCode, Int32)] = [
            (.ok, 0), (.failure, 1), (.usage, 2), (.noSuchAccount, 3), (.signInNeeded, 4),
            (.locked, 5), (.temporary, 6), (.busy, 7), (.damaged, 8), (.newerFormat, 9),
            (.unsafePermissions, 10), (.notSaved, 11),
        ]
        for (code, number) in numbers { #expect(code.rawValue == number) }
    }

    @Test func everyNumberHasAMeaningOfOneLine() {
        let meanings = ExitCode.allCases.map(\.meaning)
        #expect(Set(meanings).count == meanings.count)
        #expect(meanings.allSatisfy { !$0.isEmpty && !$0.contains("\n") && !$0.hasSuffix(".") })
    }
}
