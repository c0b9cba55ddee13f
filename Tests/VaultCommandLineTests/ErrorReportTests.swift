import Platform
import Testing
import VaultAgentClient
import VaultKit
import VaultStore

@testable import VaultCommandLine

@Suite struct ErrorReportTests {
    @Test("has words", arguments: ReportRow.all)
    func words(row: ReportRow) {
        let report = ErrorReport(row.error)
        #expect(report.line == row.line)
        #expect(report.hint == row.hint)
        expectPresentable(report)
    }

    @Test func everyCodeHasWords() {
        let known = Set(ReportRow.all.map(\.error.code))
        for (code, _) in ErrorCodes.exitCodes { #expect(known.contains(code)) }
    }

    /// Whatever facts come with whatever code, and however hostile they are.
    @Test("stays on one harmless line", arguments: ErrorCodes.exitCodes.map(\.0))
    func hostileFacts(code: VaultError.Code) {
        let reasons = Set(ReportRow.all.compactMap { $0.error.facts[.reason] }).sorted()
        let names: [VaultError.Fact] = [
            .path, .found, .wanted, .host, .status, .error, .errorDescription, .retryAfter,
            .version, .otherAccount, .field,
        ]
        for reason in [nil, "\u{1b}[2J\n"] + reasons.map(Optional.some) {
            var facts = Dictionary(
                uniqueKeysWithValues: names.map { ($0, "x\n\u{1b}]52;c;eA==\u{7}\u{202e}y") }
            )
            facts[.reason] = reason
            expectPresentable(ErrorReport(VaultError(code, facts: facts)))
            expectPresentable(ErrorReport(VaultError(code, account: "work", facts: facts)))
        }
    }

    @Test("a wait nobody can count is not told", arguments: ["nan", "inf", "1e300", "-", ""])
    func retryAfter(text: String) {
        let error = VaultError(.throttled, account: "work", facts: [.retryAfter: text])
        #expect(ErrorReport(error).hint == nil)
    }

    @Test(
        "has words for wrong words",
        arguments: [
            (
                .unknownCommand("tokne", nearest: "token"), "there is no command 'tokne'",
                "did you mean 'token'?"
            ),
            (
                .unknownCommand("\u{1b}[2J", nearest: nil), "there is no command '\\u{1b}[2J'",
                "vault help"
            ),
            (
                .unknownOption("--jsn", nearest: "--json"), "unknown option '--jsn'",
                "did you mean '--json'?"
            ),
            (
                .unknownProvider("gihub", nearest: "github"),
                "the catalogue has no provider 'gihub'", "did you mean 'github'?"
            ),
            (
                .unknownProvider("\u{1b}", nearest: nil),
                "the catalogue has no provider '\\u{1b}'", "vault help providers"
            ),
            (.unknownOption("-\n", nearest: nil), "unknown option '-\\u{a}'", "vault help"),
            (.missingValue(option: "--scope"), "option '--scope' wants a value", "vault help"),
            (.repeatedOption("--json"), "option '--json' was given more than once", "vault help"),
            (
                .tooMany(option: "--tag", limit: 32),
                "option '--tag' takes at most 32 different values", "vault help"
            ),
            (.unexpectedValue(option: "--json"), "option '--json' takes no value", "vault help"),
            (.missing("a command"), "a command is missing", "vault help"),
            (.strayWord("b"), "unexpected word 'b'", "vault help"),
            (
                .malformed("--min-valid", value: "x\u{7}", wanted: "a number"),
                "--min-valid 'x\\u{7}' is not a number", "vault help"
            ),
            (
                .notADescriptor(option: "--fd"),
                "option '--fd' wants the number of a file descriptor", "vault help"
            ),
        ] as [(UsageError, String, String)]
    )
    func usage(error: UsageError, line: String, hint: String) {
        let report = ErrorReport(error)
        #expect(report.line == line)
        #expect(report.hint == hint)
        #expect(report.exitCode == .usage)
        expectPresentable(report)
    }

    @Test(
        "quotes no more of a word than it takes to know it by",
        arguments: [
            String(repeating: "a", count: 100_000),
            "a" + String(repeating: "\u{301}", count: 9_999),
        ]
    )
    func longWords(word: String) {
        let errors: [UsageError] = [
            .unknownCommand(word, nearest: nil), .unknownOption(word, nearest: nil),
            .unknownProvider(word, nearest: nil),
            .strayWord(word), .malformed("the name", value: word, wanted: "a name"),
        ]
        for error in errors {
            let line = ErrorReport(error).line
            #expect(line.unicodeScalars.count < 120 && line.contains("\u{2026}'"))
            expectPresentable(ErrorReport(error))
        }
        let fits = String(repeating: "a", count: 64)
        #expect(ErrorReport(UsageError.strayWord(fits)).line == "unexpected word '\(fits)'")
    }

    @Test func wrongWordsLeadToTheCommandsOwnPage() {
        #expect(ErrorReport(UsageError.strayWord("b"), helpPage: "add").hint == "vault help add")
        #expect(ErrorReport(VaultError(.busy), helpPage: "add").hint == "try again")
    }

    @Test(
        "has words for an agent that cannot be asked",
        arguments: [
            (.notRunning, "no agent is running", nil, .failure),
            (
                .foreignPeer(userID: 1002), "the agent's socket belongs to another user (1002)",
                "nothing was sent; look at who can write to the vault's directory",
                .unsafePermissions
            ),
            (
                .foreignPeer(userID: nil), "the agent's socket belongs to another user",
                "nothing was sent; look at who can write to the vault's directory",
                .unsafePermissions
            ),
            (
                .broken(nil), "the agent did not answer", "vault agent stop, then try again",
                .temporary
            ),
            (
                .broken(.tryAgain), "the agent did not answer in time",
                "vault agent stop, then try again", .temporary
            ),
            (
                .broken(.accessDenied), "the agent did not answer: Permission denied",
                "vault agent stop, then try again", .temporary
            ),
            (.malformedAnswer, "the agent's answer makes no sense", "vault agent stop", .failure),
        ] as [(AgentConnection.Failure, String, String?, ExitCode)]
    )
    func agent(failure: AgentConnection.Failure, line: String, hint: String?, code: ExitCode) {
        let report = ErrorReport(failure)
        #expect(report.line == line)
        #expect(report.hint == hint)
        #expect(report.exitCode == code)
        expectPresentable(report)
    }

    @Test(
        "has words for an agent that does not start",
        arguments: [
            (
                .notFound(path: "/x/vault-agent"), "there is no agent at /x/vault-agent",
                "install vault and vault-agent side by side", .failure
            ),
            (
                .failed(.accessDenied), "the agent could not be started: Permission denied", nil,
                .failure
            ),
            (.silent, "the agent did not get ready in time", "see agent.log", .temporary),
        ] as [(AgentLaunchError, String, String?, ExitCode)]
    )
    func launch(error: AgentLaunchError, line: String, hint: String?, code: ExitCode) {
        let report = ErrorReport(error)
        #expect(report.line == line)
        #expect(report.hint == hint)
        #expect(report.exitCode == code)
        expectPresentable(report)
    }

    private struct Talkative: Error, CustomStringConvertible {
        let description = "the token is s3cret"
    }

    @Test func anErrorNobodyKnowsSaysNoMoreThanItsType() {
        let report = ErrorReport(Talkative())
        #expect(report.line == "cannot read or write the vault's files: Talkative")
        #expect(report.exitCode == .failure)
    }

    private func expectPresentable(_ report: ErrorReport) {
        for text in [report.line, report.hint].compactMap({ $0 }) {
            #expect(text.first.map { !$0.isUppercase } ?? false, "\(text)")
            #expect(!text.hasSuffix(".") && !text.hasSuffix("\n"), "\(text)")
            #expect(text == Printable.escaped(text), "\(text)")
        }
        #expect(report.exitCode != .ok)
    }
}
