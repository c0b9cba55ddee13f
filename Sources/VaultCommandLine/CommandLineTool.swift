internal import Platform
internal import VaultKit
internal import VaultStore

/// The command's program, from its words to its exit code.
package struct CommandLineTool: Sendable {
    private let terminal = Terminal()

    package init() {}

    /// Runs the words behind the program's name.
    package func run(_ words: [String]) -> Int32 {
        do {
            try dispatch(words)
            return ExitCode.ok.rawValue
        } catch {
            let command = words.first.flatMap { try? HelpPages.command($0) }
            let report = ErrorReport(error, helpPage: command?.name)
            terminal.error(report.line)
            if let hint = report.hint { terminal.hint(hint) }
            return report.exitCode.rawValue
        }
    }

    private func dispatch(_ words: [String]) throws {
        guard let word = words.first else { throw UsageError.missing("a command") }
        switch word {
        case "--version": try terminal.data("vault \(VaultVersion.current)\n")
        case "--help", "-h": try terminal.data(HelpPages.overview)
        case HelpPages.helpWord: try help(Array(words.dropFirst()))
        default: try run(HelpPages.command(word), Array(words.dropFirst()))
        }
    }

    private func help(_ words: [String]) throws {
        var arguments = ArgumentReader(words)
        let topic = try arguments.optionalWord()
        try arguments.finish()
        try terminal.data(HelpPages.page(topic))
    }

    private func run(_ command: any Command.Type, _ words: [String]) throws {
        if words.prefix(while: { $0 != "--" }).contains(where: { ["--help", "-h"].contains($0) }) {
            return try terminal.data(command.help)
        }
        var arguments = ArgumentReader(words)
        let command = try command.init(&arguments)
        guard let location = VaultLocation.fromEnvironment() else {
            throw VaultError(.noVault, facts: [.reason: "no_home"])
        }
        let verb = type(of: command as any Command).name
        try ActivityActor.named("vault \(verb) \(ProcessIdentity.current)") {
            try command.run(
                in: CommandContext(location: location, terminal: terminal, clock: SystemClock())
            )
        }
    }
}
