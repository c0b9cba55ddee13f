import Glibc
import Platform
import VaultAgentClient
import VaultAgentServer

// Before anything else: a crash must not print memory, and nobody may read ours.
try ProcessHygiene.harden()
// Also for whoever runs it by hand: its libraries read variables of their own.
Environment.keepOnly(AgentEnvironment.names)

exit(await AgentMain.run(Array(CommandLine.arguments.dropFirst())))
