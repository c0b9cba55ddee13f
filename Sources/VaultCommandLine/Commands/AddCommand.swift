internal import FoundationEssentials
internal import OAuth
internal import Platform
internal import VaultAgentClient
internal import VaultKit
internal import VaultStore

struct AddCommand: Command {
    static let name = "add"
    static let summary = "Add an account from a token response"
    static let help = """
        vault add NAME --client-id ID --token-endpoint URL [options] < response.json
        vault add NAME --client-id ID --provider PROVIDER [options] < response.json
        vault add NAME --static [--expires DATE] [options] < token

        Reads the token response of an authorization server (RFC 6749, section 5.1) as
        JSON from standard input and keeps its tokens as account NAME.

          --token-endpoint URL    Where the access token is renewed
          --provider PROVIDER     Take what is not told from what is known of PROVIDER,
                                  and read answers as that says; vault provider list
                                  has them
          --provider-param NAME=VALUE
                                  What a name in the provider's endpoints stands for
          --client-id ID          The client that the grant was given to
          --client-secret-fd N    Read the client secret from file descriptor N
          --client-auth METHOD    none, client_secret_basic or client_secret_post;
                                  with a secret client_secret_basic unless told
          --issuer URL            The authorization server, for showing
          --revocation-endpoint URL
                                  Where vault logout has the tokens revoked (RFC 7009),
                                  if that is not known of the provider
          --scope S               A scope that was asked for; may be repeated
          --tag TEXT              What vault list --tag finds it by; may be repeated
          --renewal POLICY        eager, normal or manual; vault help renewal has more
          --replace               Give an account of this name the new tokens in place
                                  of its own

        What its refreshes have of their own:

          --rotation KIND         What the server does with a used refresh token:
                                  none (it stays), overlap (the one before stays
                                  good), grace:SECONDS (for so long), strict (it
                                  works once) or unknown
          --send-scope            Name the scope in each refresh; some servers
                                  refuse one without
          --refresh-param NAME=VALUE
                                  Send this besides; may be repeated, and is no
                                  place for a secret
          --refresh-endpoint URL  Where refreshes go, if not to the token endpoint

        With --static standard input is the token itself, in one line: an API key or a
        personal access token, which is handed out as it is and never renewed. Of the
        options it takes --issuer, --tag, --replace and

          --expires DATE          When it ends, as 2027-01-31 (the beginning of that
                                  day, UTC) or 2027-01-31T12:00:00Z; without it the
                                  token has no end

        \(NetworkArguments.help)
        """

    private let addition: any Addition

    init(_ arguments: inout ArgumentReader) throws {
        addition =
            try arguments.flag("--static")
            ? StaticAddition(&arguments) : ResponseAddition(&arguments)
    }

    func run(in context: CommandContext) throws {
        try addition.run(in: context)
    }
}

/// One way to add an account.
protocol Addition: Sendable {
    func run(in context: CommandContext) throws
}

/// What is said about an account after its grant has changed.
enum ChangeReport {
    static func warn(_ change: ChangeDocument, _ account: AccountName, _ terminal: Terminal) {
        warn(isRenewable: change.renewable, account, terminal)
    }

    static func warn(isRenewable: Bool, _ account: AccountName, _ terminal: Terminal) {
        guard !isRenewable else { return }
        terminal.warning(
            "there is no refresh token: account \(account) cannot be renewed"
        )
        terminal.hint("many servers want the scope offline_access for one")
    }
}
