import Glibc
import Platform
import VaultAgentServer

// Before anything else: a crash must not print memory, and nobody may read ours.
try ProcessHygiene.harden()

exit(await AgentMain.run(Array(CommandLine.arguments.dropFirst())))
