internal import VaultKit
internal import VaultStore

struct InitCommand: Command {
    static let name = "init"
    static let summary = "Make a vault"
    static let help = """
        vault init --key-file[=PATH]

        Makes an empty vault and a key file that opens it.

          --key-file[=PATH]  Where the key file goes. Without a path it is
                             ~/.local/state/vault/<vault id>.key. A key file that is
                             there already is used as it is.

        The vault is in $VAULT_HOME, else $XDG_DATA_HOME/vault, else
        ~/.local/share/vault. What it protects is every copy of it that comes without
        the key file: keep them apart. The names of accounts can be read without a key.

        """

    private let keyFile: String?

    init(_ arguments: inout ArgumentReader) throws {
        guard let keyFile = try arguments.optionalValue("--key-file") else {
            throw UsageError.missing("--key-file[=PATH]")
        }
        self.keyFile = keyFile
        try arguments.finish()
    }

    func run(in context: CommandContext) throws {
        let keyFile = try VaultFile.create(
            context.location,
            keyFile: keyFile,
            now: context.clock.now().wall
        )
        let terminal = context.terminal
        terminal.words("made a vault in \(context.location.directory)")
        terminal.words("its key file is \(keyFile)")
        terminal.hint("without the key file nobody can open it: keep a copy in a safe place")
        terminal.hint("the names of accounts can be read without a key")
    }
}
