internal import VaultKit

/// The words for an error of the vault, from its code and facts.
struct VaultErrorWords {
    let line: String
    let hint: String?

    init(_ error: VaultError) {
        let name = error.account?.text ?? "?"
        let facts = error.facts.mapValues { Printable.escaped($0) }
        let path = facts[.path] ?? "?"
        (line, hint) =
            switch error.code {
            case .noVault:
                facts[.reason] == "no_home"
                    ? ("no place for a vault: VAULT_HOME, XDG_DATA_HOME and HOME are not set", nil)
                    : ("there is no vault in \(path)", "vault init makes one")
            case .vaultExists: ("there is a vault already: \(path)", nil)
            case .noSuchAccount:
                ("there is no account '\(name)'", "vault list shows the accounts")
            case .noSuchClient: Self.noSuchClient(facts)
            case .noAccountChosen: Self.noAccountChosen(facts)
            case .nameTaken:
                ("there is an account '\(name)' already", "vault remove \(name) removes it")
            case .grantKnown: Self.grantKnown(facts)
            case .grantAlive:
                (
                    "account '\(name)' needs no new sign-in: it was left as it is",
                    "vault login \(name) signs in anew all the same"
                )
            case .otherIdentity, .revocationFailed: Self.signedInOrOut(error.code, name, facts)
            case .signInNeeded: Self.signInNeeded(name, facts)
            case .verifyBeforeUse: Self.verifyBeforeUse(name)
            case .paused: Self.paused(name)
            case .locked: Self.locked(facts)
            case .tampered where facts[.reason] == "rotation_unfinished":
                Self.rotationUnfinished(facts)
            case .tampered where facts[.reason] == "log_rows":
                (
                    "changed or made up: \(facts[.found] ?? "rows of the log")",
                    "vault verify looks at all the rest"
                )
            case .tampered:
                (
                    "the vault was tampered with or is damaged: \(facts[.found] ?? "a record")",
                    "restore the file from a copy"
                )
            case .damaged where facts[.reason] == "tag_hints":
                (
                    "\(path) has wrong hints of tags: \(facts[.found] ?? "?") findings",
                    VerificationReport.tagHintMending
                )
            case .damaged where facts[.reason] == "log_rows":
                (
                    "rows of the log in \(path) are not as they were written",
                    "vault log --all marks them"
                )
            case .damaged where facts[.found] != nil:
                (
                    "\(path) is damaged or was tampered with: \(facts[.found] ?? "?") findings",
                    "vault restore FILE brings a backup back"
                )
            case .damaged:
                (
                    "this is not a vault, or a damaged one"
                        + (facts[.path].map { ": \($0)" } ?? ""),
                    "restore the file from a copy"
                )
            case .importRefused:
                (
                    "nothing was imported: \(facts[.found] ?? "some accounts") cannot be taken in",
                    "the lines above say why"
                )
            case .newerFormat where facts[.field] == "export":
                (
                    "the export has format \(facts[.version] ?? "?"), newer than this program knows",
                    "use a newer vault; nothing was imported"
                )
            case .newerFormat where facts[.field] == "provider":
                (
                    "account '\(name)' is of a provider that this program does not know: "
                        + (facts[.found] ?? "?"),
                    "use a newer vault; nothing was sent"
                )
            case .newerFormat:
                (
                    "the vault has format \(facts[.version] ?? "?"), newer than this program knows",
                    "use a newer vault; the file was not touched"
                )
            case .noAgent: Self.noAgent
            case .unsafePermissions where facts[.reason] == "foreign_agent":
                Self.foreignAgent(facts)
            case .unsafePermissions: Self.unsafePermissions(path, facts)
            case .networkFileSystem:
                (
                    "unsafe: \(path) is on a network file system (\(facts[.found] ?? "?")), "
                        + "whose locks and syncs cannot be trusted",
                    "vault init --allow-network-file-system makes one there all the same"
                )
            case .storage where facts[.reason] == "agent_broken": Self.agentSilent(facts)
            case .storage where facts[.reason] == "malformed_answer": Self.agentMalformed
            case .storage: Self.storage(facts)
            case .invalidInput: Self.invalidInput(path, facts)
            case .signInFailed: Self.signInFailed(facts)
            case .busy: Self.busy(facts)
            case .closed: ("the agent is stopping", "try again")
            default: Self.refreshFailed(error, facts)
            }
    }

    typealias Words = (String, String?)
    typealias Facts = [VaultError.Fact: String]

    private static func noAccountChosen(_ facts: Facts) -> Words {
        facts[.reason] == "no_accounts"
            ? ("there is no account yet", "vault help login says how to sign in to the first")
            : ("no account is chosen", "vault switch NAME chooses one, or name it")
    }

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
        if let words = staticToken(name, facts) { return words }
        let reason =
            switch facts[.reason] {
            case "interaction_required": "the authorization server wants to see you again"
            case "refused_without_reason": "refused without a reason"
            case "rotation_lost":
                "the answer to an earlier refresh was lost, and the old token is refused"
            case "late_duplicate":
                "an earlier refresh was sent twice, and the server took up the first one late"
            case "signed_out": "it was signed out of"
            case "no_refresh_token": "it has no refresh token"
            case "stale_copy":
                "its refresh token came from an old copy of the vault, and is refused"
            default: "the authorization server refused its refresh token"
            }
        return (
            "account '\(name)' needs a new sign-in: \(reason)\(Self.told(facts))",
            "vault login \(name)"
        )
    }

    private static func verifyBeforeUse(_ name: String) -> Words {
        (
            "account '\(name)' came back from an old copy: its refresh token may be spent by now",
            "vault refresh \(name) sends it after all, vault login \(name) signs in anew"
        )
    }

    private static func paused(_ name: String) -> Words {
        (
            "account '\(name)' is paused: it was moved to another vault",
            "vault login \(name) signs in here anew, or import it back"
        )
    }

    private static func unsafePermissions(_ path: String, _ facts: Facts) -> Words {
        let found = facts[.found] ?? "unsafe"
        guard let wanted = facts[.wanted] else {
            return switch found {
            case "symbolic_link": ("unsafe: \(path) is a symbolic link", nil)
            case "not_a_regular_file", "not_a_directory", "not_a_socket":
                ("unsafe: \(path) is \(found.replacing("_", with: " "))", nil)
            case let text where text.hasPrefix("parent "):
                (
                    "unsafe: others can write to \(path), \(text.dropFirst(7))",
                    "chmod go-w '\(path)'"
                )
            default:
                ("unsafe: \(path) has \(found)", "make a copy of '\(path)' that has one name")
            }
        }
        let mend =
            wanted.hasPrefix("mode ")
            ? "chmod \(wanted.dropFirst(5)) '\(path)'" : "chown \(wanted.dropFirst(6)) '\(path)'"
        return ("unsafe: \(path) has \(found), wanted is \(wanted)", mend)
    }

    private static func storage(_ facts: Facts) -> Words {
        let place = facts[.path] ?? "the vault's files"
        if facts[.reason] == "left_paused" { return leftPaused(place) }
        if facts[.reason] == "unit_failed" { return unitFailed(facts) }
        if facts[.reason] == "disk_full" {
            return ("the disk is full: \(place)", "make room on it; nothing was changed")
        }
        if let version = facts[.version] {
            return (
                "the vault has the older format \(version) and was not brought up to date: "
                    + "\(place): \(facts[.reason] ?? "unknown error")",
                "nothing was changed; the program that made it still opens it"
            )
        }
        return ("cannot read or write \(place): \(facts[.reason] ?? "unknown error")", nil)
    }

    private static func invalidInput(_ path: String, _ facts: Facts) -> Words {
        if let words = keySlot(path, facts) ?? agentSetting(path, facts)
            ?? networkSetting(path, facts) ?? provider(facts)
        {
            return words
        }
        switch (facts[.reason], facts[.field]) {
        case (let reason, "export"): return export(reason, facts)
        case (let reason?, "redirect"): return redirect(reason)
        case ("ambiguous_client", _): return ambiguousClient(facts)
        case ("file_exists", _): return ("there is a file already: \(path)", "name another one")
        case ("same_file", _): return ("\(path) is the vault itself", "name a backup of it")
        case ("companion_file", _):
            return (
                "\(path) lies there: it is of another database, or of one that was not closed",
                "move it away if it does not belong there; nothing was changed"
            )
        case ("other_vault", _):
            return (
                "\(path) is a backup of another vault than the one here",
                "--replace restores it all the same, and keeps the one here as a backup"
            )
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
        case (_, "key"):
            return ("these bytes are no key", "a key file has 32 bytes")
        case (let reason, let field):
            let why = reason.map { " (\($0))" } ?? ""
            return ("\(field ?? "the input") is not valid\(why)", nil)
        }
    }

    private static func busy(_ facts: Facts) -> Words {
        if let words = inUse(facts) ?? provider(facts) { return words }
        return switch facts[.reason] {
        case "port_in_use":
            ("port \(facts[.found] ?? "?") of the redirect URI is in use", "end what uses it")
        case "agent_version":
            (
                "the agent that runs has the older version \(facts[.version] ?? "?")",
                "vault agent stop"
            )
        case "event_streams":
            ("as many programs listen to the agent's events as may", "end one of them")
        case "socket_in_use":
            (
                "something else listens at \(facts[.path] ?? "the agent's socket")",
                "systemctl --user start vault-agent, where systemd does"
            )
        case "sign_ins":
            ("as many sign-ins wait for their browsers as may", "finish one of them, or wait")
        case "agent_silent", "agent_broken": agentSilent(facts)
        case "agent_running": ("another agent of this vault is running", "vault agent stop")
        case "agent_stopping": ("the agent that runs is still stopping", "try again")
        default:
            (
                "the vault is busy: "
                    + (facts[.pid].map { "process \($0)" } ?? "another process") + " holds it",
                "try again"
            )
        }
    }
}
