import VaultKit

extension ReportRow {
    /// What goes wrong with who signs in, and with signing out.
    static let signingOut = [
        ReportRow(
            .otherIdentity,
            [.found: "b", .wanted: "a", .reason: "revoked"],
            "b signed in, and account '?' is of a: it was left as it is, and the new tokens were "
                + "revoked",
            hint: "vault login ? --replace gives it to whoever signs in then"
        ),
        ReportRow(
            .otherIdentity,
            [.found: "b", .wanted: "a", .reason: "no_endpoint"],
            "b signed in, and account '?' is of a: it was left as it is, and the new tokens were "
                + "dropped, and could not be revoked",
            hint: "vault login ? --replace gives it to whoever signs in then"
        ),
        ReportRow(
            .revocationFailed,
            [.host: "as.example", .status: "503"],
            "account '?' was not signed out of: as.example did not revoke its tokens: "
                + "HTTP status 503",
            hint: "it is kept; vault logout ? --force lets go of it all the same"
        ),
        ReportRow(
            .revocationFailed,
            [.reason: "no_endpoint"],
            "account '?' was not signed out of: no revocation endpoint is known of its "
                + "authorization server",
            hint: "it is kept; vault logout ? --force lets go of it all the same"
        ),
        ReportRow(
            .revocationFailed,
            [.reason: "no_access_token"],
            "account '?' was not signed out of: its provider takes an access token for that, and "
                + "none is good any more",
            hint: "vault refresh ?, and sign out of it then"
        ),
        ReportRow(
            .signInNeeded,
            [.reason: "token_expired"],
            "the token of account '?' expired, and is never renewed",
            hint: "vault add ? --static --replace stores another"
        ),
    ]
}
