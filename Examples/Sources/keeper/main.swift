import Foundation
import VaultHTTP
import VaultKit

// A server that keeps the tokens of many accounts fresh, and serves a page that says how they are.
//
//     keeper PORT                      keeps the accounts that are in the vault
//     keeper PORT --demo ISSUER COUNT  adds so many accounts of a test authorization server first
//
// It ends on SIGTERM or Ctrl-C, once what it is receiving is stored.

/// Writes a line at once: `print` would keep it while a file or pipe is read at the other end.
@Sendable func say(_ line: String) {
    FileHandle.standardOutput.write(Data("\(line)\n".utf8))
}

let arguments = Array(CommandLine.arguments.dropFirst())
guard arguments.count == 1 || arguments.count == 4, let port = UInt16(arguments[0]) else {
    say("usage: keeper PORT [--demo ISSUER COUNT]")
    exit(2)
}

let transport = CurlTransport()
let vault = try await Vault.open(unlock: .keyFile, transport: transport)
if arguments.count == 4, arguments[1] == "--demo", let count = Int(arguments[3]) {
    try await Demonstration(issuer: arguments[2], transport: transport).add(count, to: vault)
}

let board = Board(vault)
let server = try PageServer(port: port) { await board.page() }
say("http://127.0.0.1:\(server.port)/")

try await withThrowingTaskGroup(of: Void.self) { group in
    // Renews each token before it expires.
    group.addTask { try await vault.runScheduler() }
    // The one place where a person is asked for.
    group.addTask {
        for await event in vault.events where event.kind == .signInNeeded {
            if let account = event.account { say("\(account) has to sign in again") }
        }
    }
    group.addTask { await StopSignal.received() }
    try await group.next()
    group.cancelAll()
}
await vault.close()
