internal import VaultKit

extension VaultErrorWords {
    /// The words for a move that did not come about, and could not be undone.
    static func leftPaused(_ path: String) -> (String, String?) {
        (
            "\(path) was not written, and accounts that were to move may be paused here: "
                + "the vault could not be written either",
            "when it can, vault export --move again and vault import of that file, "
                + "or vault login"
        )
    }

    /// The words for what is wrong with an export, or with making one.
    static func export(
        _ reason: String?,
        _ facts: [VaultError.Fact: String]
    ) -> (String, String?) {
        let nothing = "nothing was imported"
        return switch reason {
        case "terminal":
            ("tokens in plain text are not shown on a terminal", "lead them into a file or a pipe")
        case "no_accounts": ("there are no accounts to export", nil)
        case "not_an_export": ("the file is no export of a vault", nothing)
        case "cut_short": ("the export is cut short: its end is missing", nothing)
        case "trailing_bytes": ("something follows the end of the export", nothing)
        case "too_large": ("the file is larger than an export may be (64 MiB)", nothing)
        case "cost_out_of_range":
            ("the export asks for more work than is done for a file", nothing)
        case "malformed": ("the export is not right: \(facts[.found] ?? "a member")", nothing)
        default: ("the export is damaged", nothing)
        }
    }
}
