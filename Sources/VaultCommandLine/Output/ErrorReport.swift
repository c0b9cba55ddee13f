internal import VaultAgentClient
internal import VaultKit
internal import VaultStore

/// The words for an error: one line that says what failed and where, and what to do next.
///
/// Words are made here and nowhere else, from codes and facts. Nothing here can be a secret.
struct ErrorReport {
    let line: String
    let hint: String?
    let exitCode: ExitCode

    /// A report of an error, and for wrong words the help page of the command they followed.
    init(_ error: any Error, helpPage command: String? = nil) {
        switch error {
        case let error as UsageError: self.init(error, helpPage: command)
        case let error as AgentConnection.Failure: self.init(error)
        case let error as AgentLaunchError: self.init(error)
        case let found as DoctorFindings:
            let count = found.problems == 1 ? "1 problem" : "\(found.problems) problems"
            self.init("\(count) found", found.exitCode)
        case let grant as UnrevokedGrant: self.init(grant.words, .failure)
        case let found as StatusProblems: self.init(found.words, found.exitCode)
        default:
            let error = VaultError(error)
            let words = VaultErrorWords(error)
            self.init(words.line, hint: words.hint, ExitCode(error.code))
        }
    }

    private init(_ line: String, hint: String? = nil, _ exitCode: ExitCode) {
        self.line = line
        self.hint = hint
        self.exitCode = exitCode
    }

    private init(_ error: UsageError, helpPage command: String?) {
        let line: String
        var nearest: String?
        switch error {
        case .unknownCommand(let word, let known):
            line = "there is no command '\(Printable.quoted(word))'"
            nearest = known
        case .unknownOption(let option, let known):
            line = "unknown option '\(Printable.quoted(option))'"
            nearest = known
        case .unknownProvider(let name, let known):
            line = "the catalogue has no provider '\(Printable.quoted(name))'"
            nearest = known
        case .missingValue(let option): line = "option '\(option)' wants a value"
        case .repeatedOption(let option): line = "option '\(option)' was given more than once"
        case .unexpectedValue(let option): line = "option '\(option)' takes no value"
        case .missing(let what): line = "\(what) is missing"
        case .strayWord(let word): line = "unexpected word '\(Printable.quoted(word))'"
        case .tooMany(let option, let limit):
            line = "option '\(option)' takes at most \(limit) different values"
        case .malformed(let what, let value, let wanted):
            line = "\(what) '\(Printable.quoted(value))' is not \(wanted)"
        case .notADescriptor(let option):
            line = "option '\(option)' wants the number of a file descriptor"
        }
        var topic = command
        if case .unknownProvider = error { topic = HelpPages.providersTopic }
        let page = (["vault help"] + [topic].compactMap { $0 }).joined(separator: " ")
        self.init(line, hint: nearest.map { "did you mean '\($0)'?" } ?? page, .usage)
    }

    private init(_ failure: AgentConnection.Failure) {
        let error = VaultError(agent: failure)
        let words = VaultErrorWords(error)
        var exitCode = ExitCode(error.code)
        // The hint is to try again.
        if case .broken = failure { exitCode = .temporary }
        self.init(words.line, hint: words.hint, exitCode)
    }

    private init(_ error: AgentLaunchError) {
        switch error {
        case .notFound(let path):
            self.init(
                "there is no agent at \(Printable.escaped(path))",
                hint: "install vault and vault-agent side by side",
                .failure
            )
        case .failed(let error):
            self.init("the agent could not be started: \(error)", .failure)
        case .silent:
            self.init("the agent did not get ready in time", hint: "see agent.log", .temporary)
        }
    }
}
