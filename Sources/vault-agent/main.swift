import Glibc
import Platform
import VaultAgentClient
import VaultAgentServer
import VaultCommandLine

// Before anything else: a crash must not print memory, and nobody may read ours.
try ProcessHygiene.harden()
let service = ServiceEnvironment.take()
// Also for whoever runs it by hand: its libraries read variables of their own.
Environment.keepOnly(AgentEnvironment.names)

exit(
    await AgentMain.run(Array(CommandLine.arguments.dropFirst()), environment: service) { error in
        // The words of `vault`, which has become this program where somebody said `vault agent run`.
        let words =
            switch error {
            case AgentOptionError.unknown(let word): FailureWords(unknownOption: word)
            case AgentOptionError.repeated(let option): FailureWords(repeatedOption: option)
            case AgentOptionError.notADescriptor(let option): FailureWords(notADescriptor: option)
            default: FailureWords(error)
            }
        return AgentFailure(line: words.line, hint: words.hint, exitCode: words.exitCode)
    }
)
