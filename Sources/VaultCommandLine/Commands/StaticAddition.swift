internal import FoundationEssentials
internal import OAuth
internal import VaultAgentClient
internal import VaultCrypto
internal import VaultKit
internal import VaultStore

/// A token that somebody was given by hand, and that is never renewed.
struct StaticAddition: Addition {
    private let account: AccountName
    private let end: Date?
    private let issuer: String?
    private let tags: Set<AccountTag>
    private let replaces: Bool

    init(_ arguments: inout ArgumentReader) throws {
        end = try arguments.option("--expires").map { try Self.date($0, after: Date.now) }
        issuer = try arguments.option("--issuer")
        tags = try TagArguments.tags(&arguments)
        replaces = try arguments.flag("--replace")
        account = try arguments.accountName()
        try arguments.finish()
        if let issuer { _ = try EndpointURL.argument(issuer, of: "--issuer") }
    }

    /// A day begins at its midnight in UTC: rather too early than too late.
    static func date(_ text: String, after now: Date) throws(UsageError) -> Date {
        let time = text.contains("T") ? text : text + "T00:00:00Z"
        guard let seconds = CalendarDate.iso8601(time), seconds > now.timeIntervalSince1970 else {
            throw .malformed(
                "--expires",
                value: text,
                wanted: "a day or time to come, such as 2027-01-31 or 2027-01-31T12:00:00Z"
            )
        }
        return Date(timeIntervalSince1970: seconds)
    }

    func run(in context: CommandContext) throws {
        let response = Self.response(try SecretInput.line(from: 0, "token"), until: end)
        let document = try response.reveal { response in
            try WireJSON.encode(
                AddAccountDocument(
                    name: account.text,
                    issuer: issuer,
                    scope: [],
                    tokenResponse: response,
                    tags: tags.isEmpty ? nil : tags.sorted().map(\.text),
                    grant: GrantKind.static.rawValue,
                    replace: replaces ? true : nil
                )
            )
        }
        _ = try context.agent.call(
            "POST",
            "/v1/accounts",
            body: document,
            as: ChangeDocument.self
        )
        context.terminal.words("added account \(account); its token is never renewed")
    }

    /// The token as an authorization server would have sent it.
    private static func response(_ token: Secret, until end: Date?) -> Secret {
        var members = ["access_token": JSONValue.string(token)]
        if let end {
            members["expires_at"] = .number("\(Int64(end.timeIntervalSince1970))")
        }
        return JSONText.encode(.object(JSONObject(members)))
    }
}
