import Testing
import VaultKit
import VaultStore

/// An error and the words for it.
struct ReportRow: Sendable, CustomTestStringConvertible {
    let error: VaultError
    let line: String
    let hint: String?

    init(
        _ code: VaultError.Code,
        of account: AccountName? = nil,
        _ line: String,
        hint: String? = nil
    ) {
        self.init(code, [:], of: account, line, hint: hint)
    }

    init(
        _ code: VaultError.Code,
        _ facts: [VaultError.Fact: String],
        of account: AccountName? = nil,
        _ line: String,
        hint: String? = nil
    ) {
        error = VaultError(code, account: account, facts: facts)
        self.line = line
        self.hint = hint
    }

    var testDescription: String { "\(error.code) \(error.facts[.reason] ?? "")" }

    static let all =
        store + signingOut + keySlots + clients + permissions + input + exports + refresh + signIn
        + agent

    private static let keySlots = [
        ReportRow(
            .invalidInput,
            [.reason: "no_such_key_slot", .found: "7"],
            "there is no key slot 7",
            hint: "vault key list shows the slots"
        ),
        ReportRow(
            .invalidInput,
            [.reason: "last_key_slot"],
            "the last key slot stays: without it nothing would open the vault",
            hint: "vault key add makes another first, vault key change replaces its secret"
        ),
        ReportRow(
            .invalidInput,
            [.reason: "key_slot_kind", .found: "2", .wanted: "key_file"],
            "key slot 2 is a key file",
            hint: "another kind is another slot: vault key add, then vault key remove 2"
        ),
        ReportRow(
            .invalidInput,
            [.reason: "key_slots_left", .found: "2, 4"],
            "new keys need the secret of key slot 2, 4 too; nothing was changed",
            hint: "--slot-fd NUMBER:N gives one, --drop NUMBER does without the slot"
        ),
        ReportRow(
            .invalidInput,
            [.reason: "key_file_in_use", .path: "/k"],
            "/k is the key file of another slot",
            hint: "name another place"
        ),
        ReportRow(
            .invalidInput,
            [.field: "passphrase", .reason: "empty"],
            "the passphrase is empty"
        ),
        ReportRow(
            .invalidInput,
            [.field: "passphrase", .reason: "too_long"],
            "the passphrase has more than 1024 bytes"
        ),
        ReportRow(
            .invalidInput,
            [.field: "passphrase", .reason: "has_nul"],
            "the passphrase has a null byte in it"
        ),
        ReportRow(
            .invalidInput,
            [.field: "passphrase", .reason: "differ"],
            "the two passphrases differ"
        ),
        ReportRow(.invalidInput, [.field: "passphrase"], "the passphrase is not valid"),
    ]

    private static let store = [
        ReportRow(
            .noVault,
            [.path: "/v"],
            "there is no vault in /v",
            hint: "vault init makes one"
        ),
        ReportRow(
            .noVault,
            [.reason: "no_home"],
            "no place for a vault: VAULT_HOME, XDG_DATA_HOME and HOME are not set"
        ),
        ReportRow(.vaultExists, [.path: "/v/vault.db"], "there is a vault already: /v/vault.db"),
        ReportRow(
            .noSuchAccount,
            of: "work",
            "there is no account 'work'",
            hint: "vault list shows the accounts"
        ),
        ReportRow(
            .noAccountChosen,
            "no account is chosen",
            hint: "vault switch NAME chooses one, or name it"
        ),
        ReportRow(
            .noAccountChosen,
            [.reason: "no_accounts"],
            "there is no account yet",
            hint: "vault help login says how to sign in to the first"
        ),
        ReportRow(
            .nameTaken,
            of: "work",
            "there is an account 'work' already",
            hint: "vault remove work removes it"
        ),
        ReportRow(
            .grantAlive,
            of: "work",
            "account 'work' needs no new sign-in: it was left as it is",
            hint: "vault login work signs in anew all the same"
        ),
        ReportRow(
            .damaged,
            [.path: "/v/copy.db", .found: "3"],
            "/v/copy.db is damaged or was tampered with: 3 findings",
            hint: "vault restore FILE brings a backup back"
        ),
        ReportRow(
            .damaged,
            [.path: "/v/copy.db", .found: "2", .reason: "tag_hints"],
            "/v/copy.db has wrong hints of tags: 2 findings",
            hint: "vault tag NAME --add TEXT, or vault key rekey for all accounts, writes them anew"
        ),
        ReportRow(
            .damaged,
            [.path: "/v/copy.db", .found: "1", .reason: "log_rows"],
            "rows of the log in /v/copy.db are not as they were written",
            hint: "vault log --all marks them"
        ),
        ReportRow(
            .tampered,
            [.found: "2 rows of the log", .reason: "log_rows"],
            "changed or made up: 2 rows of the log",
            hint: "vault verify looks at all the rest"
        ),
        ReportRow(
            .invalidInput,
            [.reason: "file_exists", .path: "/v/copy.db"],
            "there is a file already: /v/copy.db",
            hint: "name another one"
        ),
        ReportRow(
            .invalidInput,
            [.reason: "same_file", .path: "/v/vault.db"],
            "/v/vault.db is the vault itself",
            hint: "name a backup of it"
        ),
        ReportRow(
            .invalidInput,
            [.reason: "companion_file", .path: "/v/copy.db-wal"],
            "/v/copy.db-wal lies there: it is of another database, or of one that was not closed",
            hint: "move it away if it does not belong there; nothing was changed"
        ),
        ReportRow(
            .invalidInput,
            [.reason: "other_vault", .path: "/v/copy.db"],
            "/v/copy.db is a backup of another vault than the one here",
            hint: "--replace restores it all the same, and keeps the one here as a backup"
        ),
        ReportRow(
            .verifyBeforeUse,
            of: "work",
            "account 'work' came back from an old copy: its refresh token may be spent by now",
            hint: "vault refresh work sends it after all, vault login work signs in anew"
        ),
        ReportRow(
            .paused,
            of: "work",
            "account 'work' is paused: it was moved to another vault",
            hint: "vault login work signs in here anew, or import it back"
        ),
        ReportRow(
            .grantKnown,
            [.reason: "stored", .otherAccount: "home"],
            of: "work",
            "account 'home' has this refresh token already",
            hint: "two accounts with one grant log each other out; nothing was stored"
        ),
        ReportRow(
            .grantKnown,
            [.reason: "spent"],
            of: "work",
            "this refresh token was spent by this vault: it is an old copy",
            hint: "sign in again for a new one; nothing was stored"
        ),
        ReportRow(
            .locked,
            [.reason: "key_file_missing", .path: "/k"],
            "the vault is locked: its key file /k is missing",
            hint: "put the key file back; with a passphrase or recovery key: vault unlock"
        ),
        ReportRow(
            .locked,
            [.reason: "key_file_wrong", .path: "/k"],
            "the vault is locked: /k is the key file of another vault, or an old one",
            hint: "vault key list shows what opens it"
        ),
        ReportRow(
            .locked,
            [.reason: "key_file_malformed", .path: "/k"],
            "the vault is locked: /k is no key file",
            hint: "a key file has 32 bytes"
        ),
        ReportRow(
            .locked,
            [.reason: "no_key_file_slot"],
            "the vault is locked: no key file opens it",
            hint: "vault unlock"
        ),
        ReportRow(.locked, "the vault is locked", hint: "vault unlock"),
        ReportRow(.locked, [.reason: "asked"], "the vault is locked", hint: "vault unlock"),
        ReportRow(
            .locked,
            [.reason: "time"],
            "the vault is locked: its time was up",
            hint: "vault unlock"
        ),
        ReportRow(
            .locked,
            [.reason: "keys_replaced"],
            "the vault is locked: another process gave it new keys",
            hint: "vault unlock"
        ),
        ReportRow(
            .locked,
            [.reason: "passphrase_wrong"],
            "the passphrase is wrong",
            hint: "try again, or give the recovery key in its place"
        ),
        ReportRow(
            .locked,
            [.reason: "no_passphrase_slot"],
            "no passphrase opens this vault",
            hint: "vault key list shows what opens it"
        ),
        ReportRow(
            .locked,
            [.reason: "recovery_key_wrong"],
            "this is the recovery key of another vault, or an old one",
            hint: "vault key list shows what opens it"
        ),
        ReportRow(
            .locked,
            [.reason: "recovery_key_malformed"],
            "this is no recovery key: it is mistyped, or not all of it",
            hint: "it has 54 letters and digits, in groups of four"
        ),
        ReportRow(
            .locked,
            [.reason: "no_recovery_slot"],
            "no recovery key opens this vault",
            hint: "vault key list shows what opens it"
        ),
        ReportRow(
            .locked,
            [.reason: "key_wrong"],
            "these bytes are the key file of another vault, or an old one",
            hint: "vault key list shows what opens it"
        ),
        ReportRow(
            .locked,
            [.reason: "out_of_memory"],
            "there is not enough memory to work with the passphrase",
            hint: "end other programs, or raise the limit of this one (ulimit -v)"
        ),
        ReportRow(
            .busy,
            [.reason: "vault_in_use"],
            "the vault is in use: a refresh or other work on it goes on",
            hint: "try again"
        ),
        ReportRow(
            .busy,
            [.reason: "unlocking"],
            "another unlock is under way",
            hint: "try again"
        ),
        ReportRow(
            .busy,
            [.reason: "locking"],
            "the agent is locking the vault: what is in flight is stored first",
            hint: "try again"
        ),
        ReportRow(
            .invalidInput,
            [.field: "key", .reason: "not_32_bytes"],
            "these bytes are no key",
            hint: "a key file has 32 bytes"
        ),
        ReportRow(
            .tampered,
            [.found: "account work"],
            "the vault was tampered with or is damaged: account work",
            hint: "restore the file from a copy"
        ),
        ReportRow(
            .tampered,
            [.reason: "rotation_unfinished", .found: "account work, token kept aside 3"],
            "these records do not open, and keep their old key: account work, token kept aside 3",
            hint: "everything else has the new one; mend or remove them, "
                + "then vault key rotate again"
        ),
        ReportRow(
            .damaged,
            [.path: "/v/vault.db"],
            "this is not a vault, or a damaged one: /v/vault.db",
            hint: "restore the file from a copy"
        ),
        ReportRow(
            .damaged,
            "this is not a vault, or a damaged one",
            hint: "restore the file from a copy"
        ),
        ReportRow(
            .newerFormat,
            [.version: "7"],
            "the vault has format 7, newer than this program knows",
            hint: "use a newer vault; the file was not touched"
        ),
        ReportRow(
            .newerFormat,
            [.field: "provider", .found: "x"],
            of: "work",
            "account 'work' is of a provider that this program does not know: x",
            hint: "use a newer vault; nothing was sent"
        ),
        ReportRow(
            .storage,
            [.path: "/v/vault.db", .reason: "Permission denied"],
            "cannot read or write /v/vault.db: Permission denied"
        ),
        ReportRow(.storage, "cannot read or write the vault's files: unknown error"),
        ReportRow(
            .storage,
            [.path: "/v/vault.db", .reason: "disk_full"],
            "the disk is full: /v/vault.db",
            hint: "make room on it; nothing was changed"
        ),
        ReportRow(
            .storage,
            [.path: "/v/vault.lock", .version: "1", .reason: "Read-only file system"],
            "the vault has the older format 1 and was not brought up to date: "
                + "/v/vault.lock: Read-only file system",
            hint: "nothing was changed; the program that made it still opens it"
        ),
        ReportRow(
            .networkFileSystem,
            [.path: "/v", .found: "nfs"],
            "unsafe: /v is on a network file system (nfs), "
                + "whose locks and syncs cannot be trusted",
            hint: "vault init --allow-network-file-system makes one there all the same"
        ),
        ReportRow(
            .busy,
            [.pid: "4711"],
            "the vault is busy: process 4711 holds it",
            hint: "try again"
        ),
        ReportRow(
            .busy,
            "the vault is busy: another process holds it",
            hint: "try again"
        ),
        ReportRow(
            .busy,
            [.reason: "deadline"],
            of: "work",
            "the vault is busy: another process holds it",
            hint: "try again"
        ),
        ReportRow(
            .busy,
            [.reason: "port_in_use", .found: "8080", .field: "redirect_uri"],
            "port 8080 of the redirect URI is in use",
            hint: "end what uses it"
        ),
        ReportRow(
            .busy,
            [.reason: "agent_version", .version: "0.1.0"],
            "the agent that runs has the older version 0.1.0",
            hint: "vault agent stop"
        ),
        ReportRow(
            .busy,
            [.reason: "event_streams"],
            "as many programs listen to the agent's events as may",
            hint: "end one of them"
        ),
        ReportRow(
            .busy,
            [.reason: "socket_in_use", .path: "/v/agent.sock"],
            "something else listens at /v/agent.sock",
            hint: "systemctl --user start vault-agent, where systemd does"
        ),
        ReportRow(
            .busy,
            [.reason: "sign_ins"],
            "as many sign-ins wait for their browsers as may",
            hint: "finish one of them, or wait"
        ),
        ReportRow(
            .busy,
            [.reason: "agent_stopping"],
            "the agent that runs is still stopping",
            hint: "try again"
        ),
        ReportRow(.closed, "the agent is stopping", hint: "try again"),
    ]

    private static let permissions = [
        ReportRow(
            .unsafePermissions,
            [.path: "/v", .found: "mode 755", .wanted: "mode 700"],
            "unsafe: /v has mode 755, wanted is mode 700",
            hint: "chmod 700 '/v'"
        ),
        ReportRow(
            .unsafePermissions,
            [.path: "/v", .found: "owner 1002", .wanted: "owner 1000"],
            "unsafe: /v has owner 1002, wanted is owner 1000",
            hint: "chown 1000 '/v'"
        ),
        ReportRow(
            .unsafePermissions,
            [.path: "/srv", .found: "parent mode 777"],
            "unsafe: others can write to /srv, mode 777",
            hint: "chmod go-w '/srv'"
        ),
        ReportRow(
            .unsafePermissions,
            [.path: "/v/vault.db", .found: "2 names"],
            "unsafe: /v/vault.db has 2 names",
            hint: "make a copy of '/v/vault.db' that has one name"
        ),
        ReportRow(
            .unsafePermissions,
            [.path: "/v/vault.db", .found: "symbolic_link"],
            "unsafe: /v/vault.db is a symbolic link"
        ),
        ReportRow(
            .unsafePermissions,
            [.path: "/v", .found: "not_a_directory"],
            "unsafe: /v is not a directory"
        ),
        ReportRow(
            .unsafePermissions,
            [.path: "/v/vault.db", .found: "not_a_regular_file"],
            "unsafe: /v/vault.db is not a regular file"
        ),
        ReportRow(
            .unsafePermissions,
            [.path: "/v/agent.sock", .found: "not_a_socket"],
            "unsafe: /v/agent.sock is not a socket"
        ),
    ]

    private static let input = [
        ReportRow(
            .invalidInput,
            [.reason: "no_home"],
            "no place for the key file: HOME is not set",
            hint: "--key-file=PATH names one"
        ),
        ReportRow(
            .invalidInput,
            [.reason: "key_file_inside_vault", .path: "/v/k"],
            "the key file /v/k would lie inside the vault's directory",
            hint: "a copy of the vault must not carry its key: choose another place"
        ),
        ReportRow(
            .invalidInput,
            [.field: "token_response"],
            "standard input is not a token response with an access token",
            hint: "the JSON of RFC 6749 section 5.1 is wanted; nothing was stored"
        ),
        ReportRow(
            .invalidInput,
            [.field: "redirect_uri", .reason: "not_loopback"],
            "redirect_uri is not valid (not_loopback)"
        ),
        ReportRow(.invalidInput, [.field: "name"], "name is not valid"),
        ReportRow(.invalidInput, "the input is not valid"),
    ]
}
