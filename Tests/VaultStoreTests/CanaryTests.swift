import FoundationEssentials
import OAuth
import Testing
import VaultCrypto

@testable import VaultStore

/// Nothing that is sealed stands in the files in any form that a search would find.
@Suite struct CanaryTests {
    private static let names = [
        "refresh-token", "access-token", "client-secret", "client-id", "issuer", "previous",
        "second-refresh-token", "second-access-token", "late-refresh-token", "third-refresh-token",
        "tag",
    ]

    private static func canary(_ name: String) -> String {
        "CANARY.\(name).0123456789abcdefghijklmnopqrstuvwxyz"
    }

    /// The ways in which a text may have been written down.
    private static func forms(of text: String) -> [[UInt8]] {
        let raw = Array(text.utf8)
        let base64 = (0..<3).flatMap { shift -> [String] in
            let bytes = [UInt8](repeating: 0x20, count: shift) + raw
            // Without the characters that the neighbours have a part in.
            let inner = Data(bytes).base64EncodedString().dropFirst(4).dropLast(4)
            let url = inner.map { character -> Character in
                switch character {
                case "+": "-"
                case "/": "_"
                default: character
                }
            }
            return [String(inner), String(url)]
        }
        let hexadecimal = [raw.hexadecimal, raw.hexadecimal.uppercased()]
        let wide = raw.flatMap { byte -> [UInt8] in [byte, 0] }
        return [raw, Array(raw.reversed()), wide] + (base64 + hexadecimal).map { Array($0.utf8) }
    }

    private static func tokens(_ prefix: String) -> TokenSet {
        var tokens = Fixture.tokens("")
        tokens.refreshToken = Secret(canary("\(prefix)refresh-token"))
        tokens.accessTokens[0].value = Secret(canary("\(prefix)access-token"))
        tokens.previous = PreviousRefreshToken(
            value: Secret(canary("previous")),
            until: Fixture.now
        )
        return tokens
    }

    private static func account(_ name: AccountName, _ prefix: String) -> NewAccount {
        var account = Fixture.account(name)
        account.tokens = tokens(prefix)
        account.settings.client = Client(
            id: ClientID(rawValue: canary("client-id")),
            secret: Secret(canary("client-secret")),
            authentication: .clientSecretBasic
        )
        account.settings.tags = AccountTag(canary("tag")).map { [$0] } ?? []
        account.settings.issuer = "https://\(canary("issuer")).example"
        return account
    }

    private static func search(_ vault: TemporaryVault) -> [String] {
        let files = [vault.database, vault.journal].map { bytes(of: $0) }
        return names.filter { name in
            forms(of: canary(name)).contains { form in
                files.contains { $0.contains(sequence: form) }
            }
        }
    }

    @Test func theFilesHoldNoCanaryAtAnyTime() async throws {
        try await withTemporaryVault { vault in
            let store = try vault.openStore()
            let inserted = try await store.insert(Self.account("visible-name", ""))
            #expect(Self.search(vault).isEmpty)
            let lateClaim = try await store.claim("visible-name")
            #expect(Self.search(vault).isEmpty)
            var pair = Fixture.pair("", spent: [UInt8](repeating: 1, count: 32))
            pair.tokens = Self.tokens("second-")
            _ = try await store.install(pair, for: lateClaim)
            #expect(Self.search(vault).isEmpty)
            pair.tokens = Self.tokens("late-")
            _ = try await store.install(pair, for: lateClaim)
            #expect(Self.search(vault).isEmpty)
            let current = try store.account(inserted.id)
            let seen = try #require(current)
            _ = try await store.replace(seen, with: Self.account("visible-name", "third-"))
            #expect(Self.search(vault).isEmpty)
            let file = bytes(of: vault.database)
            #expect(file.contains(sequence: Array("visible-name".utf8)))
            try await store.remove("visible-name")
            #expect(Self.search(vault).isEmpty)
        }
    }

    @Test func theSearchFindsWhatIsThere() async throws {
        try await withTemporaryVault { vault in
            for form in Self.forms(of: Self.canary("issuer")) {
                try write([9, 9] + form + [9], to: vault.journal)
                #expect(Self.search(vault) == ["issuer"])
            }
            let base64 = Data(Array("aé/?".utf8) + Array(Self.canary("issuer").utf8))
            try write(Array(base64.base64EncodedString().utf8), to: vault.journal)
            #expect(Self.search(vault) == ["issuer"])
        }
    }
}
