import OAuth
import Testing
import VaultAccess
import VaultCrypto

@testable import VaultStore

/// What an account's tokens are obtained with is part of its seal, and goes with it.
@Suite struct GrantKindRecordTests {
    private static func account(_ kind: GrantKind) -> NewAccount {
        var account = Fixture.account("work")
        account.settings.grantKind = kind
        guard kind != .refreshToken else { return account }
        account.tokens.refreshToken = nil
        if kind == .static {
            account.settings.client = Client(id: ClientID(rawValue: ""))
            account.health.state = .static
        }
        return account
    }

    @Test("the kind of grant is read as it was written", arguments: GrantKind.allCases)
    func record(kind: GrantKind) throws {
        let settings = Self.account(kind).settings
        let text = AccountRecord.encode(settings)
        #expect(try AccountRecord.decode(text) == settings)
        let isNamed = text.reveal { $0.contains("token_grant") }
        #expect(isNamed == (kind != .refreshToken))
    }

    @Test("a kind of grant that only a newer program knows makes the record unusable")
    func unknownKind() {
        let text = AccountRecord.encode(Self.account(.static).settings).reveal { $0 }
        let newer = Secret(text.replacing(#":"static""#, with: #":"telepathy""#))
        #expect(throws: SealingError.self) { try AccountRecord.decode(newer) }
    }

    @Test("the kind of grant goes along into another vault", arguments: GrantKind.allCases)
    func export(kind: GrantKind) async throws {
        try await withTemporaryVault { vault in
            let file = try vault.open()
            let stored = try file.insert(Self.account(kind))
            let text = try file.export(at: Fixture.moment).encoded
            let read = try AccountExport(decoding: text)
            #expect(read.accounts.first?.settings == stored.settings)
            #expect(read.accounts.first?.state == (kind == .static ? .static : .active))
        }
    }

    @Test("a column does not make an account static, nor one of a machine wait for a sign-in")
    func hints() async throws {
        for (kind, hint, wanted) in [
            (.refreshToken, .static, .active), (.clientCredentials, .signInNeeded, .active),
            (.static, .active, .static), (.static, .signInNeeded, .signInNeeded),
        ] as [(GrantKind, AccountState, AccountState)] {
            try await withTemporaryVault { vault in
                let file = try vault.open()
                let stored = try file.insert(Self.account(kind))
                _ = try file.write {
                    try file.setState(hint, of: stored.id.bytes, at: Fixture.now)
                }
                #expect(try file.account(named: "work").health.state == wanted)
            }
        }
    }
}
