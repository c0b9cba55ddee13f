/// A person who answers the questions of a program at its terminal.
final class Person {
    let terminal: PseudoTerminal
    private var read = 0

    /// Everything the terminal has shown.
    var seen: String { terminal.read().replacing("\r\n", with: "\n") }

    init() throws {
        terminal = try PseudoTerminal()
    }

    /// Waits for a question that was not answered yet, and types a line.
    func answer(_ question: String, _ text: String) throws {
        let isAsked = try poll(seconds: 30) {
            self.seen.utf8.dropFirst(self.read).hasSuffix(question)
        }
        guard isAsked else { throw HarnessError("not asked '\(question)': \(seen)") }
        read = seen.utf8.count
        terminal.type("\(text)\n")
    }
}

extension Substring.UTF8View {
    fileprivate func hasSuffix(_ text: String) -> Bool {
        suffix(text.utf8.count).elementsEqual(text.utf8)
    }
}

extension Stage {
    /// Runs `vault` with a person at its controlling terminal, which is its standard input too.
    func atTerminal(
        _ arguments: [String],
        _ talk: (Person) throws -> Void
    ) throws -> Ended {
        let person = try Person()
        var launch = try vaultLaunch(arguments)
        launch.terminal = person.terminal
        let run = try start(launch)
        try talk(person)
        return try finish(run)
    }
}
