/// What the agent's program was told by its words.
struct AgentOptions: Sendable {
    /// Leave when nobody needs it any more.
    var isOnDemand = false
    /// Where to say that it is ready, or why not.
    var readyDescriptor: Int32?

    /// Reads the words; one that cannot be done as it says is an error, never passed over.
    init(_ arguments: [String]) throws(AgentOptionError) {
        var rest = arguments[...]
        while let word = rest.popFirst() {
            switch word {
            case "--on-demand" where !isOnDemand: isOnDemand = true
            case "--ready-fd" where readyDescriptor == nil:
                guard let number = rest.popFirst().flatMap({ Int32($0) }), number > 2 else {
                    throw .notADescriptor(option: word)
                }
                readyDescriptor = number
            case "--on-demand", "--ready-fd": throw .repeated(option: word)
            default: throw .unknown(word)
            }
        }
    }
}

/// Words that the agent's program does not take.
package enum AgentOptionError: Error, Equatable, Sendable {
    case unknown(String)
    case repeated(option: String)
    case notADescriptor(option: String)
}

/// The words for an error, and how the program ends for it.
///
/// Whoever makes the program makes the words: this target has none.
package struct AgentFailure: Sendable {
    package let line: String
    package let hint: String?
    package let exitCode: Int32

    package init(line: String, hint: String?, exitCode: Int32) {
        self.line = line
        self.hint = hint
        self.exitCode = exitCode
    }
}
