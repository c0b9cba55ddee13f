/// What a vault could not do.
///
/// Two errors are equal when their codes are.
public struct VaultError: Error, Sendable, Equatable {
    /// What kind of failure it is; stable, and the same in every JSON answer of the vault.
    public let code: Code
    /// The account it concerns, where it concerns one.
    public let account: AccountName?
    /// What is known about it, never a token or another secret.
    public let facts: [Fact: String]

    /// An error put together from its parts.
    public init(_ code: Code, account: AccountName? = nil, facts: [Fact: String] = [:]) {
        self.code = code
        self.account = account
        self.facts = facts
    }

    /// Compares the codes alone.
    public static func == (left: VaultError, right: VaultError) -> Bool {
        left.code == right.code
    }

    /// Whether the same call can succeed later without anybody doing anything.
    public var isTransient: Bool {
        [.unreachable, .throttled, .outcomeUnknown, .massRefusal, .busy].contains(code)
    }

    /// Seconds until trying again makes sense, where that is known.
    public var retryAfter: Double? { facts[.retryAfter].flatMap { Double($0) } }

    /// A refused grant, where so many are refused that none is believed.
    package var doubted: VaultError {
        var facts = facts
        facts[.reason] = nil
        return VaultError(.massRefusal, account: account, facts: facts)
    }

    /// The same error about an account.
    package func about(_ account: AccountName) -> VaultError {
        VaultError(code, account: account, facts: facts)
    }
}

extension VaultError {
    /// The kinds of failure.
    public struct Code: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
        /// The code's name in JSON.
        public let rawValue: String

        /// A code by its name.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The code's name.
        public var description: String { rawValue }

        /// There is no vault where one was looked for.
        public static let noVault = Code(rawValue: "no_vault")
        /// There is a vault already.
        public static let vaultExists = Code(rawValue: "vault_exists")
        /// No account has this name.
        public static let noSuchAccount = Code(rawValue: "no_such_account")
        /// No account was named and none is current.
        public static let noAccountChosen = Code(rawValue: "no_account_chosen")
        /// No account has a client of this identifier.
        public static let noSuchClient = Code(rawValue: "no_such_client")
        /// An account has this name already.
        public static let nameTaken = Code(rawValue: "name_taken")
        /// Accounts of an export cannot be taken in as they are; none was.
        public static let importRefused = Code(rawValue: "import_refused")
        /// The refresh token is stored already, or was spent here.
        public static let grantKnown = Code(rawValue: "grant_known")
        /// The account is to be replaced or removed only if its grant is dead, and that is not.
        public static let grantAlive = Code(rawValue: "grant_alive")
        /// Somebody else signed in than the account is of; nothing was changed.
        ///
        /// What became of the tokens that just came is the reason: `revoked`, or why not.
        public static let otherIdentity = Code(rawValue: "other_identity")
        /// The authorization server did not revoke the tokens, which have to be taken as alive.
        public static let revocationFailed = Code(rawValue: "revocation_failed")
        /// The grant is dead or wants the resource owner: sign in again.
        public static let signInNeeded = Code(rawValue: "sign_in_needed")
        /// The refresh token may have been spent elsewhere, as after a restore: only a person has it
        /// sent.
        public static let verifyBeforeUse = Code(rawValue: "verify_before_use")
        /// The account was moved to another vault.
        public static let paused = Code(rawValue: "paused")
        /// The authorization server was not reached.
        public static let unreachable = Code(rawValue: "unreachable")
        /// The authorization server asks to wait.
        public static let throttled = Code(rawValue: "throttled")
        /// A refresh was sent and no usable answer came back.
        public static let outcomeUnknown = Code(rawValue: "outcome_unknown")
        /// The authorization server refuses the client.
        public static let clientRefused = Code(rawValue: "client_refused")
        /// The authorization server refuses so many grants of one client at once that it is doubted,
        /// not they.
        public static let massRefusal = Code(rawValue: "mass_refusal")
        /// The authorization server refuses what was asked for.
        public static let requestRefused = Code(rawValue: "request_refused")
        /// Even a fresh token does not live as long as was asked for; it was stored.
        public static let lifetimeTooShort = Code(rawValue: "lifetime_too_short")
        /// The authorization server granted less than the scope that was asked for; what it granted
        /// was stored.
        public static let scopeMissing = Code(rawValue: "scope_missing")
        /// A new pair is in memory and could not be stored yet.
        public static let notSaved = Code(rawValue: "not_saved")
        /// The keys are not here.
        public static let locked = Code(rawValue: "locked")
        /// Another process kept the file or the account's lock for too long.
        public static let busy = Code(rawValue: "busy")
        /// Something in the file is not what was sealed into it.
        public static let tampered = Code(rawValue: "tampered")
        /// The file is no vault, or not a whole one.
        public static let damaged = Code(rawValue: "damaged")
        /// The file, or what is named in `field`, is of a newer version than this one knows.
        public static let newerFormat = Code(rawValue: "newer_format")
        /// Others can read or change a file of the vault.
        public static let unsafePermissions = Code(rawValue: "unsafe_permissions")
        /// The vault is on a file system that other machines reach too.
        public static let networkFileSystem = Code(rawValue: "network_file_system")
        /// A file cannot be read or written, or makes no sense, as the socket of an agent.
        public static let storage = Code(rawValue: "storage")
        /// What was given is not what was asked for.
        public static let invalidInput = Code(rawValue: "invalid_input")
        /// The sign-in did not come to a grant.
        public static let signInFailed = Code(rawValue: "sign_in_failed")
        /// No agent answers where the vault's should.
        public static let noAgent = Code(rawValue: "no_agent")
        /// The vault was closed.
        public static let closed = Code(rawValue: "closed")
    }

    /// The names of what is known about a failure.
    public enum Fact: String, Sendable, Hashable, Codable {
        /// A file or directory.
        case path
        /// What was found, in a word or number.
        case found
        /// What is wanted instead.
        case wanted
        /// Why, as a name of the vault's own.
        case reason
        /// The host that was talked to.
        case host
        /// The status of its answer.
        case status
        /// The error code it gave.
        case error
        /// Its explanation, made safe to print.
        case errorDescription = "error_description"
        /// Seconds to wait.
        case retryAfter = "retry_after"
        /// A version number.
        case version
        /// Another account.
        case otherAccount = "other_account"
        /// A member or parameter.
        case field
        /// The number of a process.
        case pid
        /// The number of a line.
        case line
        /// The page where clients are registered.
        case console
    }
}
