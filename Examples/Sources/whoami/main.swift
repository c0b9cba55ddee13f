import Foundation
import VaultHTTP
import VaultKit

// A command-line client of a small API: asks a resource server whose token it was shown.
//
//     whoami ACCOUNT ORIGIN [PATH]        whoami work https://api.example.com /whoami
//
// Nothing here speaks of expiry, refreshing or 401: the client of the account does.

/// Ends with a line on standard error.
func fail(_ words: String, status: Int32) -> Never {
    FileHandle.standardError.write(Data("whoami: \(words)\n".utf8))
    exit(status)
}

let arguments = CommandLine.arguments
guard (3...4).contains(arguments.count), let account = AccountName(arguments[1]),
    let origin = try? Origin(arguments[2]),
    let address = try? EndpointURL(origin.text + (arguments.count == 4 ? arguments[3] : "/whoami"))
else { fail("usage: whoami ACCOUNT ORIGIN [PATH]", status: 2) }

let transport = CurlTransport()
let vault: Vault
do {
    vault = try await Vault.open(unlock: .keyFile, transport: transport)
} catch {
    fail("\(error)", status: 1)
}

/// What the API says, or why it says nothing.
func answer() async -> Result<String, any Error> {
    do {
        let api = AuthorizedClient(
            vault,
            account: account,
            origins: [origin],
            transport: transport
        )
        let response = try await api.send(ResourceRequest(.get, address))
        let body = try await response.body.collect(upTo: 1 << 20)
        return .success("\(response.status) " + String(decoding: body, as: UTF8.self))
    } catch {
        return .failure(error)
    }
}

let result = await answer()
// On every way out: what a server answers meanwhile is stored before the program ends.
await vault.close()
do {
    print(try result.get())
} catch VaultError.Code.signInNeeded {
    fail("sign in again: vault login \(account)", status: 5)
} catch let error as VaultError where error.isTransient {
    fail("try again later: \(error)", status: 4)
} catch {
    fail("\(error)", status: 1)
}
