internal import OAuth
internal import Platform

/// `vault help`, and what there is to be helped with.
enum HelpPages {
    static let commands: [any Command.Type] = [
        InitCommand.self, LoginCommand.self, AddCommand.self, ListCommand.self,
        SwitchCommand.self, TokenCommand.self, StatusCommand.self, LogCommand.self,
        RefreshCommand.self, LogoutCommand.self, RemoveCommand.self, RenameCommand.self,
        TagCommand.self, RenewalCommand.self, ClientCommand.self, ProviderCommand.self,
        UnlockCommand.self, LockCommand.self, KeyCommand.self,
        BackupCommand.self, RestoreCommand.self, VerifyCommand.self, DoctorCommand.self,
        ExportCommand.self, ImportCommand.self, AgentCommand.self,
    ]

    static let helpWord = "help"
    static let exitCodesTopic = "exit-codes"
    static let providersTopic = "providers"

    static var overview: String {
        let width = commands.map { $0.name.count }.max() ?? 0
        let list = commands.map { command in
            let gap = String(repeating: " ", count: width - command.name.count + 2)
            return "  \(command.name)\(gap)\(command.summary)\n"
        }
        return """
            vault keeps the logins of many accounts, encrypted, and hands out access tokens
            that are valid now.

            usage: vault COMMAND …

            \(list.joined())
            vault help COMMAND tells more, vault help exit-codes what the exit codes mean.

            """
    }

    static var exitCodes: String {
        ExitCode.allCases.map { code in
            let number = String(code.rawValue)
            return String(repeating: " ", count: 3 - number.count) + number + "  \(code.meaning)\n"
        }.joined() + "130  interrupted\n"
    }

    /// The catalogue's names, and the token endpoints that come with them.
    static var providers: String {
        let catalogue = ProviderCatalogue.builtIn
        let width = catalogue.names.map(\.count).max() ?? 0
        let list = catalogue.names.map { name in
            let gap = String(repeating: " ", count: width - name.count + 2)
            let endpoint = catalogue[name]?.tokenTemplate
            let title = catalogue[name]?.title ?? name
            return "  \(name)\(gap)\(endpoint?.text ?? "\(title) (no endpoint of its own)")\n"
        }
        return """
            vault login and vault add take from the catalogue what nobody told when they
            are given --provider NAME; vault provider show NAME has all of it:

            \(list.joined())
            """
    }

    /// The page about a topic.
    static func page(_ topic: String?) throws(UsageError) -> String {
        switch topic {
        case nil, helpWord: overview
        case exitCodesTopic: exitCodes
        case providersTopic: providers
        case .some(let word): try command(word, orTopics: [exitCodesTopic, providersTopic]).help
        }
    }

    /// The command of a word.
    static func command(
        _ word: String,
        orTopics topics: [String] = []
    ) throws(UsageError) -> any Command.Type {
        guard let command = commands.first(where: { $0.name == word }) else {
            let names = commands.map { $0.name } + [helpWord] + topics
            throw .unknownCommand(word, nearest: Suggestion.nearest(to: word, in: names))
        }
        return command
    }
}
