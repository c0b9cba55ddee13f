internal import VaultKit

/// The words for what an agent cannot start with: its configuration, its socket, its limits.
extension VaultErrorWords {
    static func agentSetting(_ path: String, _ facts: Facts) -> Words? {
        switch facts[.reason] {
        case "configuration": configuration(path, facts)
        case "socket_activation": socketActivation(facts)
        case "foreign_unit":
            (
                "\(path) was not written by vault agent install",
                "vault agent install --force replaces it"
            )
        case "no_unit": (facts[.found] ?? "there is no place for units", "vault agent start")
        case "descriptor_limit":
            (
                "the agent may have \(facts[.found] ?? "?") files open, wanted are "
                    + "\(facts[.wanted] ?? "?")",
                "raise the limit: ulimit -n, or LimitNOFILE= of its unit"
            )
        default: nil
        }
    }

    static func unitFailed(_ facts: Facts) -> Words {
        let unit = facts[.found] ?? "?"
        return ("systemd could not start \(unit)", "journalctl --user -u '\(unit)' says why")
    }

    private static func configuration(_ path: String, _ facts: Facts) -> Words {
        let place = "\(path), line \(facts[.line] ?? "?")"
        let field = facts[.field] ?? "?"
        let wanted = facts[.wanted] ?? "?"
        let what =
            switch facts[.found] {
            case "unknown_member": "there is no member '\(field)'"
            case "repeated_member": "member '\(field)' is there twice"
            case "missing_member": "member '\(field)' is missing"
            case "unfit_member": "'\(field)' has to be \(wanted)"
            case "not_utf8": "it is not UTF-8"
            case "too_large": "it has more than \(wanted) bytes"
            default: "it is not JSON"
            }
        return ("\(place): \(what)", "vault help agent lists its members")
    }

    private static func socketActivation(_ facts: Facts) -> Words {
        let found = facts[.found] ?? "?"
        let wanted = facts[.wanted] ?? "?"
        guard facts[.field] == "descriptor" else {
            return (
                "the service manager says \(facts[.field] ?? "?")=\(found), wanted is \(wanted)",
                "one socket is handed over, to the agent's own process"
            )
        }
        guard found.hasPrefix("/") || facts[.wanted] != nil else {
            return (
                "descriptor 3, which the service manager handed over, is "
                    + found.replacing("_", with: " "),
                "it has to be a UNIX stream socket that listens"
            )
        }
        return (
            "the service manager listens on \(found), and the vault's socket is \(wanted)",
            "the same directory has to be in VAULT_HOME and ListenStream="
        )
    }
}
