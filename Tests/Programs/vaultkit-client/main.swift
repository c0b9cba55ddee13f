import Glibc
import VaultHTTP
import VaultKit

// A program that uses the library and no agent: prints a token of the account that is its argument.
guard let name = CommandLine.arguments.dropFirst().first.flatMap({ AccountName($0) }) else {
    print("usage: vaultkit-client NAME")
    exit(2)
}
do {
    let vault = try await Vault.open(unlock: .keyFile, transport: CurlTransport())
    let token = try await vault.accessToken(for: name)
    print(token.value.reveal { $0 })
    await vault.close()
} catch {
    // On standard output there is only ever a token.
    let words = "vaultkit-client: \(error)\n"
    _ = unsafe write(2, words, words.utf8.count)
    exit(1)
}
