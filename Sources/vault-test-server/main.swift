import Glibc
import Platform
import VaultCrypto
import VaultTesting

// An authorization server for tests and demonstrations: one line of JSON says where it is, and it
// serves until SIGTERM or SIGINT.
try ProcessHygiene.harden()
try StopSignals.catchAll()

guard var settings = ServerArguments.settings(CommandLine.arguments.dropFirst()) else {
    try Descriptor.write(ServerArguments.usage, to: 2)
    exit(2)
}
let secret = "\(settings.tokenPrefix)-secret-\(UInt64.random(in: .min ... .max))"
settings.clients += [.init("test-confidential", secret: Secret(secret))]
let server = try TestAuthorizationServer(settings)
try Descriptor.write(Announcement(server, confidentialClientSecret: secret).line, to: 1)
_ = try StopSignals.wait()
await server.stop()
