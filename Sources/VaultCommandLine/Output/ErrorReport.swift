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

    init(_ error: any Error) {
        switch error {
        case let error as UsageError: self.init(error)
        case let error as AgentConnection.Failure: self.init(error)
        case let error as AgentLaunchError: self.init(error)
        default: self.init(VaultError(error))
        }
    }

    private init(_ line: String, hint: String? = nil, _ exitCode: ExitCode) {
        self.line = line
        self.hint = hint
        self.exitCode = exitCode
    }

    private init(_ error: UsageError) {
        let (line, hint): (String, String?) =
            switch error {
            case .unknownCommand(let word, let nearest):
                (
                    "there is no command '\(Printable.escaped(word))'",
                    nearest.map { "did you mean '\($0)'?" }
                )
            case .unknownOption(let option, let nearest):
                (
                    "unknown option '\(Printable.escaped(option))'",
                    nearest.map { "did you mean '\($0)'?" }
                )
            case .missingValue(let option): ("option '\(option)' wants a value", nil)
            case .repeatedOption(let option): ("option '\(option)' was given more than once", nil)
            case .unexpectedValue(let option): ("option '\(option)' takes no value", nil)
            case .missing(let what): ("\(what) is missing", nil)
            case .strayWord(let word): ("unexpected word '\(Printable.escaped(word))'", nil)
            case .malformed(let what, let value, let wanted):
                ("\(what) '\(Printable.escaped(value))' is not \(wanted)", nil)
            }
        self.init(line, hint: hint ?? "vault help lists the commands and their options", .usage)
    }

    private init(_ failure: AgentConnection.Failure) {
        switch failure {
        case .notRunning: self.init("no agent is running", .failure)
        case .foreignPeer(let user):
            self.init(
                "the agent's socket belongs to another user"
                    + (user.map { " (\($0))" } ?? ""),
                hint: "nothing was sent; look at who can write to the vault's directory",
                .unsafePermissions
            )
        case .broken(let error):
            self.init(
                "the agent did not answer" + (error.map { ": \($0)" } ?? ""),
                hint: "vault agent stop, then try again",
                .temporary
            )
        case .malformedAnswer:
            self.init("the agent's answer makes no sense", hint: "vault agent stop", .failure)
        }
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

// MARK: - The vault's own errors

extension ErrorReport {
    private init(_ error: VaultError) {
        let name = error.account?.text ?? "?"
        let facts = error.facts.mapValues { Printable.escaped($0) }
        let path = facts[.path] ?? "?"
        let (line, hint): (String, String?) =
            switch error.code {
            case .noVault:
                facts[.reason] == "no_home"
                    ? ("no place for a vault: VAULT_HOME, XDG_DATA_HOME and HOME are not set", nil)
                    : ("there is no vault in \(path)", "vault init --key-file makes one")
            case .vaultExists: ("there is a vault already: \(path)", nil)
            case .noSuchAccount:
                ("there is no account '\(name)'", "vault list shows the accounts")
            case .noAccountChosen:
                ("no account is chosen", "vault switch NAME chooses one, or name it")
            case .nameTaken:
                ("there is an account '\(name)' already", "vault remove \(name) removes it")
            case .grantKnown: Self.grantKnown(facts)
            case .signInNeeded: Self.signInNeeded(name, facts)
            case .locked: Self.locked(facts)
            case .tampered:
                (
                    "the vault was tampered with or is damaged: \(facts[.found] ?? "a record")",
                    "restore the file from a copy"
                )
            case .damaged:
                (
                    "this is not a vault, or a damaged one"
                        + (facts[.path].map { ": \($0)" } ?? ""),
                    "restore the file from a copy"
                )
            case .newerFormat:
                (
                    "the vault has format \(facts[.version] ?? "?"), newer than this program knows",
                    "use a newer vault; the file was not touched"
                )
            case .unsafePermissions: Self.unsafePermissions(path, facts)
            case .storage: Self.storage(facts)
            case .invalidInput: Self.invalidInput(path, facts)
            case .signInFailed: Self.signInFailed(facts)
            case .busy: Self.busy(facts)
            default: Self.refreshFailed(error.code, name, facts)
            }
        self.init(line, hint: hint, ExitCode(error.code))
    }

    private typealias Words = (String, String?)
    private typealias Facts = [VaultError.Fact: String]

    private static func grantKnown(_ facts: Facts) -> Words {
        guard let other = facts[.otherAccount] else {
            return (
                "this refresh token was spent by this vault: it is an old copy",
                "sign in again for a new one; nothing was stored"
            )
        }
        return (
            "account '\(other)' has this refresh token already",
            "two accounts with one grant log each other out; nothing was stored"
        )
    }

    private static func signInNeeded(_ name: String, _ facts: Facts) -> Words {
        let reason =
            switch facts[.reason] {
            case "interaction_required": "the authorization server wants to see you again"
            case "refused_without_reason": "refused without a reason"
            case "rotation_lost":
                "the answer to an earlier refresh was lost, and the old token is refused"
            case "no_refresh_token": "it has no refresh token"
            default: "the authorization server refused its refresh token"
            }
        return (
            "account '\(name)' needs a new sign-in: \(reason)\(Self.told(facts))",
            "vault login \(name)"
        )
    }

    private static func locked(_ facts: Facts) -> Words {
        let path = facts[.path] ?? "?"
        return switch facts[.reason] {
        case "key_file_missing":
            ("the vault is locked: its key file \(path) is missing", "put the key file back")
        case "key_file_wrong":
            ("the vault is locked: \(path) is the key file of another vault", nil)
        case "key_file_malformed":
            ("the vault is locked: \(path) is no key file", "a key file has 32 bytes")
        default: ("the vault is locked", nil)
        }
    }

    private static func unsafePermissions(_ path: String, _ facts: Facts) -> Words {
        let found = facts[.found] ?? "unsafe"
        guard let wanted = facts[.wanted] else {
            let mend: String? =
                switch found {
                case "symbolic_link", "not_a_regular_file", "not_a_directory", "not_a_socket": nil
                case let text where text.hasPrefix("parent mode"): "chmod go-w '\(path)'"
                default: "make a copy of '\(path)' that has one name"
                }
            return ("unsafe: \(path) has \(found.replacing("_", with: " "))", mend)
        }
        let mend =
            wanted.hasPrefix("mode ")
            ? "chmod \(wanted.dropFirst(5)) '\(path)'" : "chown \(wanted.dropFirst(6)) '\(path)'"
        return ("unsafe: \(path) has \(found), wanted is \(wanted)", mend)
    }

    private static func storage(_ facts: Facts) -> Words {
        let place = facts[.path].map { "\($0): " } ?? ""
        return ("cannot read or write \(place)\(facts[.reason] ?? "unknown error")", nil)
    }

    private static func invalidInput(_ path: String, _ facts: Facts) -> Words {
        switch (facts[.reason], facts[.field]) {
        case ("no_home", _):
            return ("no place for the key file: HOME is not set", "--key-file=PATH names one")
        case ("key_file_inside_vault", _):
            return (
                "the key file \(path) would lie inside the vault's directory",
                "a copy of the vault must not carry its key: choose another place"
            )
        case (_, "token_response"):
            return (
                "standard input is not a token response with an access token",
                "the JSON of RFC 6749 section 5.1 is wanted; nothing was stored"
            )
        case (let reason, let field):
            let why = reason.map { " (\($0))" } ?? ""
            return ("\(field ?? "the input") is not valid\(why)", nil)
        }
    }

    private static func signInFailed(_ facts: Facts) -> Words {
        switch facts[.reason] {
        case "timed_out":
            return ("the sign-in was not finished in the browser in time", "try again")
        case "cancelled": return ("the sign-in was cancelled", nil)
        case "refused":
            return ("the authorization server refused the sign-in\(told(facts))", nil)
        case "code_refused":
            return ("the authorization server did not exchange the code\(told(facts))", nil)
        default:
            let why = facts[.reason] ?? facts[.field] ?? "unknown reason"
            return ("the sign-in failed: \(why)\(told(facts))", nil)
        }
    }

    private static func busy(_ facts: Facts) -> Words {
        switch facts[.reason] {
        case "port_in_use":
            ("port \(facts[.found] ?? "?") of the redirect URI is in use", "end what uses it")
        case "agent_version":
            ("the agent that runs has another version", "vault agent stop")
        default: ("the vault is busy: another process holds it", "try again")
        }
    }

    private static func refreshFailed(
        _ code: VaultError.Code,
        _ name: String,
        _ facts: Facts
    ) -> Words {
        let host = facts[.host] ?? "the authorization server"
        let again = facts[.retryAfter].map { "it is tried again in \($0) s" }
        return switch code {
        case .unreachable:
            (
                "account '\(name)': \(host) was not reached"
                    + (facts[.reason].map { " (\($0))" } ?? "") + told(facts), again
            )
        case .throttled: ("account '\(name)': \(host) asks to wait\(told(facts))", again)
        case .outcomeUnknown:
            (
                "account '\(name)': \(host) gave no usable answer"
                    + (facts[.reason].map { " (\($0))" } ?? "") + told(facts), again
            )
        case .clientRefused:
            (
                "account '\(name)': \(host) refuses the client\(told(facts))",
                "check the client id and secret; the grant is kept"
            )
        case .requestRefused:
            ("account '\(name)': \(host) refuses the request\(told(facts))", "the grant is kept")
        case .lifetimeTooShort:
            (
                "account '\(name)': even a fresh token lives only \(facts[.found] ?? "?") s, "
                    + "asked for were \(facts[.wanted] ?? "?")", "ask for less with --min-valid"
            )
        case .notSaved:
            (
                "account '\(name)': refreshed, but the new token could not be saved yet",
                "make room on the disk; the agent keeps the token and tries again"
            )
        default: ("account '\(name)': \(code)", nil)
        }
    }

    /// What the server said, as far as it said something.
    private static func told(_ facts: Facts) -> String {
        var parts = [facts[.error], facts[.errorDescription]].compactMap { $0 }
        if parts.isEmpty, let status = facts[.status] { parts = ["HTTP status \(status)"] }
        return parts.isEmpty ? "" : ": " + parts.joined(separator: ", ")
    }
}
