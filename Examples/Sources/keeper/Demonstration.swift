import Foundation
import VaultKit

/// Accounts of the project's test authorization server, so that there is something to keep.
struct Demonstration {
    let issuer: String
    let transport: any HTTPTransport

    /// What the server gives for `POST /test/issue`: the answer of a token endpoint.
    private struct Issued: Decodable {
        let access_token: String
        let refresh_token: String
        let expires_in: Double
    }

    /// Adds accounts named `account-1` and so on; those that are there already stay as they are.
    func add(_ count: Int, to vault: Vault) async throws {
        for number in 1...count {
            guard let name = AccountName("account-\(number)") else { continue }
            do {
                try await vault.add(registration(name), issue())
            } catch VaultError.Code.nameTaken {
                continue
            }
        }
    }

    private func registration(_ name: AccountName) throws -> AccountRegistration {
        AccountRegistration(
            name: name,
            client: Client(id: ClientID(rawValue: "test-public")),
            tokenEndpoint: try EndpointURL("\(issuer)/token")
        )
    }

    private func issue() async throws -> TokenResponse {
        let request = HTTPRequest(
            .post,
            try EndpointURL("\(issuer)/test/issue"),
            body: Secret(#"{"clientID":"test-public"}"#)
        )
        let answer = try await transport.send(request).body.withBytes { bytes in
            try JSONDecoder().decode(Issued.self, from: Data(bytes.withUnsafeBytes { Data($0) }))
        }
        return TokenResponse(
            accessToken: Secret(answer.access_token),
            refreshToken: Secret(answer.refresh_token),
            lifetime: answer.expires_in
        )
    }
}
