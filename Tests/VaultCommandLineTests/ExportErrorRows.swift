import VaultKit

/// What is said of a file that cannot be imported.
extension ReportRow {
    static let exports = [
        ReportRow(
            .importRefused,
            [.found: "2 of 3 accounts"],
            "nothing was imported: 2 of 3 accounts cannot be taken in",
            hint: "the lines above say why"
        ),
        ReportRow(
            .newerFormat,
            [.field: "export", .version: "2"],
            "the export has format 2, newer than this program knows",
            hint: "use a newer vault; nothing was imported"
        ),
        ReportRow(
            .storage,
            [.reason: "left_paused", .path: "/x/out"],
            "/x/out was not written, and accounts that were to move may be paused here: "
                + "the vault could not be written either",
            hint: "when it can, vault export --move again and vault import of that file, "
                + "or vault login"
        ),
        ReportRow(
            .locked,
            [.reason: "export_passphrase_wrong"],
            "this is not the passphrase of the export",
            hint: "it is the export's own, not the vault's"
        ),
        row(
            "terminal",
            "tokens in plain text are not shown on a terminal",
            hint: "lead them into a file or a pipe"
        ),
        row("no_accounts", "there are no accounts to export", hint: nil),
        row("not_an_export", "the file is no export of a vault"),
        row("cut_short", "the export is cut short: its end is missing"),
        row("trailing_bytes", "something follows the end of the export"),
        row("too_large", "the file is larger than an export may be (64 MiB)"),
        row("cost_out_of_range", "the export asks for more work than is done for a file"),
        row("damaged", "the export is damaged"),
        ReportRow(
            .invalidInput,
            [.field: "export", .reason: "malformed", .found: "accounts[0].settings"],
            "the export is not right: accounts[0].settings",
            hint: "nothing was imported"
        ),
    ]

    private static func row(
        _ reason: String,
        _ line: String,
        hint: String? = "nothing was imported"
    ) -> ReportRow {
        ReportRow(.invalidInput, [.field: "export", .reason: reason], line, hint: hint)
    }
}
