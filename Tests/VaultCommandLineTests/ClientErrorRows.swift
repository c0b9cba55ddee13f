import VaultKit

extension ReportRow {
    /// What goes wrong with clients.
    static let clients = [
        ReportRow(
            .noSuchClient,
            "no account has the client '?'",
            hint: "vault client list shows the clients"
        ),
        ReportRow(
            .noSuchClient,
            [.found: "my-cleint", .wanted: "my-client", .host: "as.example"],
            "no account at as.example has the client 'my-cleint'",
            hint: "did you mean 'my-client'?"
        ),
        ReportRow(
            .invalidInput,
            [.reason: "ambiguous_client", .found: "https://a.example/t, https://b.example/t"],
            "accounts at several token endpoints have this client: "
                + "https://a.example/t, https://b.example/t",
            hint: "--token-endpoint URL says which is meant; nothing was changed"
        ),
    ]
}
