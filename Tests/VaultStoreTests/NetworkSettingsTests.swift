import FoundationEssentials
import OAuth
import Testing
import VaultAccess
import VaultCrypto

@testable import VaultStore

/// How an account's requests get to its server, as the seal keeps it.
@Suite struct NetworkSettingsTests {
    private static let settings = Fixture.fullAccount("work").settings

    @Test func theRecordKeepsAllOfIt() throws {
        #expect(Self.settings.network == Fixture.network)
        let record = AccountRecord.encode(Self.settings)
        #expect(try AccountRecord.decode(record) == Self.settings)
        #expect(!record.reveal { $0.contains("BEGIN CERTIFICATE-----\\r") })
    }

    /// Records of the programs before this one.
    @Test func aRecordWithoutThemHasNone() throws {
        let record = AccountRecord.encode(Fixture.settings("old"))
        #expect(!record.reveal { $0.contains("proxy") || $0.contains("certificate_a") })
        let settings = try AccountRecord.decode(record)
        #expect(settings.network == NetworkOptions())
        #expect(settings.authorizationParameters.isEmpty)
    }

    @Test(
        "an option that cannot be read makes the record unusable",
        arguments: [
            (#""proxy":"socks5h://proxy.example:1080""#, #""proxy":"gopher://proxy.example:1""#),
            (#""proxy":"socks5h://proxy.example:1080""#, #""proxy":7"#),
            (#"["/etc/c.pem","/etc/c.key"]"#, #"["/etc/c.pem"]"#),
            (#"["/etc/c.pem","/etc/c.key"]"#, #"["c.pem","c.key"]"#),
            (#"[["audience","a b"]]"#, #"[["audience"]]"#),
        ]
    )
    func unusable(whole: String, spoilt: String) throws {
        let text = AccountRecord.encode(Self.settings).reveal { $0.replacing("\\/", with: "/") }
        try #require(text.contains(whole))
        #expect(throws: SealingError.self) {
            try AccountRecord.decode(Secret(text.replacing(whole, with: spoilt)))
        }
    }

    @Test func aRefreshGoesThatWay() {
        #expect(Self.settings.refreshRequest(Secret("r")).network == Fixture.network)
    }

    @Test(
        "an export that says something else is refused",
        arguments: [
            (#"[["audience","a b"]]"#, #"[["redirect_uri","x"]]"#, "authorization_parameters"),
            ("MIIBAA==", "<html>", "certificate_authorities"),
        ]
    )
    func exports(whole: String, spoilt: String, member: String) async throws {
        try await withTemporaryVault { vault in
            let file = try vault.open()
            _ = try file.insert(Fixture.fullAccount("work"))
            let text = try file.export(at: Fixture.moment).encoded.reveal { $0 }
            try #require(text.contains(whole))
            let error = #expect(throws: StoreError.self) {
                try AccountExport(decoding: Secret(text.replacing(whole, with: spoilt)))
            }
            #expect(error == .exportMalformed(member: "accounts[0].settings.\(member)"))
        }
    }

    // MARK: - Files

    private static let pem = "-----BEGIN CERTIFICATE-----\nMIIBAA==\n-----END CERTIFICATE-----\n"

    private func withFiles(_ body: (String) throws -> Void) async throws {
        try await withTemporaryVault { vault in
            let folder = vault.folder + "/files"
            try FileManager.default.createDirectory(
                atPath: folder,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
            try body(folder)
        }
    }

    private func write(_ text: String, _ path: String, mode: Int) throws {
        try Data(text.utf8).write(to: URL(filePath: path))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }

    @Test func authoritiesOfAFileThatOthersCanChangeAreNotTrusted() async throws {
        try await withFiles { folder in
            let path = folder + "/ca.pem"
            try write("words\n" + Self.pem, path, mode: 0o644)
            #expect(try NetworkFiles.authorities(path).pem == Self.pem)
            try write(Self.pem, path, mode: 0o666)
            let error = #expect(throws: VaultError.self) { try NetworkFiles.authorities(path) }
            #expect(error?.code == .unsafePermissions)
            try write("words", path, mode: 0o600)
            let other = #expect(throws: VaultError.self) { try NetworkFiles.authorities(path) }
            #expect(other?.facts[.reason] == "no_certificate" && other?.facts[.path] == path)
            let missing = #expect(throws: VaultError.self) {
                try NetworkFiles.authorities(folder + "/missing")
            }
            #expect(missing?.code == .storage)
        }
    }

    @Test func aKeyIsItsOwnersAlone() async throws {
        try await withFiles { folder in
            let (certificate, key) = (folder + "/c.pem", folder + "/c.key")
            let files = try #require(
                ClientCertificate(certificatePath: certificate, keyPath: key)
            )
            try write(Self.pem, certificate, mode: 0o644)
            let text = "-----BEGIN PRIVATE KEY-----\nAA==\n-----END PRIVATE KEY-----\n"
            try write(text, key, mode: 0o600)
            try NetworkFiles.check(files)
            for mode in [0o640, 0o604, 0o666] {
                try write(text, key, mode: mode)
                let error = #expect(throws: VaultError.self) { try NetworkFiles.check(files) }
                #expect(error?.code == .unsafePermissions && error?.facts[.path] == key)
            }
            try write(Self.pem, key, mode: 0o600)
            let error = #expect(throws: VaultError.self) { try NetworkFiles.check(files) }
            #expect(error?.facts[.field] == "client_key")
        }
    }
}
