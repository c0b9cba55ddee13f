import OAuth
import Testing
import VaultCrypto
import VaultStore
import VaultTesting

@testable import VaultKit

/// What somebody put together himself is stored only if it can be read again.
@Suite(.timeLimit(.minutes(1))) struct AddedResponseTests {
    private struct Row: Sendable, CustomTestStringConvertible {
        var field: String
        var access = "fresh"
        var refresh: String? = "fresh-refresh"
        var type = "Bearer"
        var lifetime: Double? = 3600

        var testDescription: String { "\(field) \(lifetime ?? 0)" }

        var response: TokenResponse {
            TokenResponse(
                accessToken: Secret(access),
                refreshToken: refresh.map { Secret($0) },
                tokenType: type,
                lifetime: lifetime
            )
        }
    }

    @Test(
        "a response that no account can be read back with is refused, and the old grant stays",
        arguments: [
            Row(field: "access_token", access: ""), Row(field: "refresh_token", refresh: ""),
            Row(field: "token_type", type: ""), Row(field: "lifetime", lifetime: .infinity),
            Row(field: "lifetime", lifetime: -.infinity), Row(field: "lifetime", lifetime: .nan),
            Row(field: "lifetime", lifetime: -1),
        ]
    )
    private func refused(row: Row) async throws {
        try await withScene { scene in
            try await scene.add()
            let before = try scene.stored()
            for (name, policy) in [("work", .always), ("new", .never)]
                as [(AccountName, ReplacementPolicy)]
            {
                let error = await vaultError {
                    try await scene.vault.add(.testing(name), row.response, replacing: policy)
                }
                #expect(error?.code == .invalidInput && error?.account == name)
                #expect(error?.facts[.field] == row.field)
            }
            #expect(try scene.stored() == before)
            #expect(try await scene.vault.accounts().map(\.name) == ["work"])
        }
    }

    @Test(
        "any finite lifetime is stored and read again",
        arguments: [nil, 0, 0.25, 3600, 1e18, .greatestFiniteMagnitude] as [Double?]
    )
    func finite(lifetime: Double?) async throws {
        try await withScene { scene in
            let response = Row(field: "", lifetime: lifetime).response
            _ = try await scene.vault.add(.testing("work"), response)
            let stored = try scene.stored()
            #expect(stored.tokens.defaultToken?.lifetime == lifetime)
            #expect(stored.refreshText == "fresh-refresh")
        }
    }

    @Test(
        "a grace period that would not be read again is refused",
        arguments: [.infinity, -.infinity, .nan, 0, -1, 86_401] as [Double]
    )
    func grace(seconds: Double) async throws {
        try await withScene { scene in
            var registration = AccountRegistration.testing("work")
            registration.refresh.rotation = .grace(seconds: seconds)
            let error = await vaultError {
                try await scene.vault.add(registration, .testing(accessToken: "a"))
            }
            #expect(error?.code == .invalidInput && error?.facts[.field] == "rotation")
        }
    }
}
