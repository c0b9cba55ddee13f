import Glibc
import Platform
import VaultCommandLine

// Before anything else: a crash must not print memory, and nobody may read ours.
try ProcessHygiene.harden()

exit(CommandLineTool().run(Array(CommandLine.arguments.dropFirst())))
