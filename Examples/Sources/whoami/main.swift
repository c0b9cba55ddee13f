import Foundation
import VaultHTTP
import VaultKit

// A command-line client of a small API: asks a resource server whose token it was shown.
//
//     whoami ACCOUNT https://api.example.com/whoami
//
// Nothing here speaks of expiry, refreshing or 401: the client of the account does.

/// Ends with a line on standard error.
func fail(_ words: String, status: Int32) -> Never {
    FileHandle.standardError.write(Data("whoami: \(words)\n".utf8))
    exit(status)
}

let arguments = CommandLine.arguments.dropFirst()
guard arguments.count == 2, let account = arguments.first.flatMap({ AccountName($0) }),
    let address = arguments.last.flatMap({ try? EndpointURL($0) })
else { fail("usage: whoami ACCOUNT URL", status: 2) }

do {
    let transport = CurlTransport()
    let vault = try await Vault.open(unlock: .keyFile, transport: transport)
    let api = AuthorizedClient(
        vault,
        account: account,
        origins: [Origin(address)],
        transport: transport
    )
    let response = try await api.send(ResourceRequest(.get, address))
    let body = try await response.body.collect(upTo: 1 << 20)
    // What was received on the way is stored before the program ends.
    await vault.close()
    guard response.status == 200 else { fail("the API answered \(response.status)", status: 1) }
    print(String(decoding: body, as: UTF8.self))
} catch VaultError.Code.signInNeeded {
    fail("sign in again: vault login \(account)", status: 5)
} catch let error as VaultError where error.isTransient {
    fail("try again later: \(error.code)", status: 4)
} catch {
    fail("\(error)", status: 1)
}
