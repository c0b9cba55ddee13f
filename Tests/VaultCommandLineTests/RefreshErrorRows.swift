import VaultKit
import VaultStore

extension ReportRow {
    private static let host = "as.example"

    static let refresh = [
        ReportRow(
            .unreachable,
            [.host: host, .reason: "nameNotResolved", .retryAfter: "12"],
            of: "work",
            "account 'work': as.example was not reached (nameNotResolved)",
            hint: "it is tried again in 12 s"
        ),
        ReportRow(
            .unreachable,
            [.host: host, .status: "503", .field: "issuer"],
            "as.example was not reached: HTTP status 503"
        ),
        ReportRow(
            .throttled,
            [.host: host, .status: "429", .retryAfter: "11.0625"],
            of: "work",
            "account 'work': as.example asks to wait: HTTP status 429",
            hint: "it is tried again in 12 s"
        ),
        ReportRow(
            .outcomeUnknown,
            [.host: host, .reason: "timedOut"],
            of: "work",
            "account 'work': as.example gave no usable answer (timedOut)"
        ),
        ReportRow(
            .outcomeUnknown,
            [.host: host, .status: "502"],
            of: "work",
            "account 'work': as.example gave no usable answer: HTTP status 502"
        ),
        ReportRow(
            .clientRefused,
            [.host: host, .error: "invalid_client"],
            of: "work",
            "account 'work': as.example refuses the client: invalid_client",
            hint: "check the client id and secret (vault client set); the grant is kept"
        ),
        ReportRow(
            .massRefusal,
            [.host: host],
            of: "work",
            "account 'work': as.example refuses very many accounts of this client at once",
            hint: "that is taken for a fault of the server: every grant is kept and tried again"
        ),
        ReportRow(
            .requestRefused,
            [.error: "invalid_scope", .errorDescription: "no such scope"],
            of: "work",
            "account 'work': the authorization server refuses the request: "
                + "invalid_scope, no such scope",
            hint: "the grant is kept; for another scope sign in again: vault login"
        ),
        ReportRow(
            .lifetimeTooShort,
            [.found: "300", .wanted: "3600"],
            of: "work",
            "account 'work': even a fresh token lives only 300 s, asked for were 3600",
            hint: "ask for less with --min-valid"
        ),
        ReportRow(
            .scopeMissing,
            [.host: "as.example", .found: "a b", .wanted: "c"],
            of: "work",
            "account 'work': as.example did not grant c",
            hint: "ask for less with --scope, or sign in again for more: vault login"
        ),
        ReportRow(
            .notSaved,
            of: "work",
            "account 'work': refreshed, but the new token could not be saved yet",
            hint: "make room on the disk; the agent keeps the token and tries again"
        ),
        ReportRow(VaultError.Code(rawValue: "brand_new"), of: "work", "account 'work': brand_new"),
    ]

    static let signIn =
        [
            (nil, "the authorization server refused its refresh token"),
            ("grant_refused", "the authorization server refused its refresh token"),
            ("interaction_required", "the authorization server wants to see you again"),
            ("refused_without_reason", "refused without a reason"),
            (
                "rotation_lost",
                "the answer to an earlier refresh was lost, and the old token is refused"
            ),
            (
                "late_duplicate",
                "an earlier refresh was sent twice, and the server took up the first one late"
            ),
            ("no_refresh_token", "it has no refresh token"),
        ].map { (reason: String?, words: String) in
            ReportRow(
                .signInNeeded,
                reason.map { [.reason: $0] } ?? [:],
                of: "work",
                "account 'work' needs a new sign-in: \(words)",
                hint: "vault login work"
            )
        } + [
            ReportRow(
                .signInFailed,
                [.reason: "timed_out"],
                "the sign-in was not finished in time",
                hint: "try again"
            ),
            ReportRow(.signInFailed, [.reason: "cancelled"], "the sign-in was cancelled"),
            ReportRow(
                .signInFailed,
                [.reason: "not_known"],
                "the agent knows of no such sign-in: it ended meanwhile",
                hint: "try again"
            ),
            ReportRow(
                .signInFailed,
                [.reason: "refused", .error: "access_denied"],
                "the authorization server refused the sign-in: access_denied"
            ),
            ReportRow(
                .signInFailed,
                [.reason: "device_denied"],
                "the sign-in was refused on the other device"
            ),
            ReportRow(
                .signInFailed,
                [.reason: "device_expired"],
                "the code was not typed and approved in time",
                hint: "try again for another one"
            ),
            ReportRow(
                .signInFailed,
                [.reason: "device_codes_refused", .host: host, .error: "invalid_scope"],
                "as.example gave no code for a device: invalid_scope",
                hint: "vault help login has other flows"
            ),
            ReportRow(
                .signInFailed,
                [.reason: "device_refused", .status: "400"],
                "the authorization server gave no tokens for the code: HTTP status 400"
            ),
            ReportRow(
                .signInFailed,
                [.reason: "credentials_refused", .host: host, .status: "400"],
                "as.example gave no token for the client's own credentials: HTTP status 400",
                hint: "the client has to be registered for the grant client_credentials"
            ),
            ReportRow(
                .signInFailed,
                [.reason: "code_refused", .status: "400"],
                "the authorization server did not exchange the code: HTTP status 400"
            ),
            ReportRow(
                .signInFailed,
                [.reason: "issuer_mismatch", .host: host],
                "the metadata of as.example speaks for another issuer",
                hint: "check the address of --issuer"
            ),
            ReportRow(
                .signInFailed,
                [.reason: "metadata_not_found", .host: host],
                "as.example publishes no metadata",
                hint: "check the address of --issuer"
            ),
            ReportRow(
                .signInFailed,
                [.reason: "metadata_redirected", .host: host],
                "as.example redirects who asks for its metadata, and redirects are not followed",
                hint: "check the address of --issuer"
            ),
            ReportRow(
                .signInFailed,
                [.reason: "metadata_malformed", .host: host],
                "the metadata of as.example makes no sense"
            ),
            ReportRow(
                .signInFailed,
                [.reason: "endpoint_insecure", .host: host, .field: "token_endpoint"],
                "the token_endpoint of as.example is not https"
            ),
            ReportRow(
                .signInFailed,
                [.reason: "endpoint_missing", .host: host, .field: "authorization_endpoint"],
                "the metadata of as.example names no authorization_endpoint"
            ),
            ReportRow(.signInFailed, "the sign-in failed: unknown reason"),
        ]
}
