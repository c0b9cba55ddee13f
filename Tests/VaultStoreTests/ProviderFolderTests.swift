import FoundationEssentials
import OAuth
import Platform
import Testing
import VaultAccess

@testable import VaultStore

/// Whose files are read, and from where.
@Suite struct ProviderFolderTests {
    private static let acme =
        #"{"acme": {"title": "Acme", "token_endpoint": "https://acme.example/token"}}"#

    private func withFolder(
        _ body: (ProviderFolder, _ path: String) throws -> Void
    ) throws {
        let root = FileManager.default.temporaryDirectory.appending(path: "vault-\(UUID())").path
        try FileSystem.makeDirectories(root)
        defer { try? FileManager.default.removeItem(atPath: root) }
        let location = VaultLocation(directory: root)
        try FileSystem.makeNewDirectory(location.providers)
        try body(ProviderFolder(location), location.providers)
    }

    private func write(_ text: String, _ path: String, mode: Int = 0o600) throws {
        try Data(text.utf8).write(to: URL(filePath: path))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }

    @Test func ownProvidersStandBesideTheCatalogues() throws {
        try withFolder { folder, path in
            #expect(try folder.own().isEmpty)
            try write(Self.acme, "\(path)/work.json")
            try write("not read", "\(path)/.work.json")
            try write("not read", "\(path)/work.json.old")
            let acme = try #require(try folder.provider(named: "acme"))
            #expect(acme.file == "\(path)/work.json" && acme.entry.title == "Acme")
            #expect(try folder.provider(named: "google")?.file == nil)
            #expect(try folder.provider(named: "other") == nil)
            let names = try folder.all().map(\.name)
            #expect(names == names.sorted() && names.contains("acme") && names.contains("google"))
        }
    }

    @Test func withoutAFolderThereIsTheCatalogue() throws {
        let folder = ProviderFolder(VaultLocation(directory: "/nonexistent"))
        #expect(try folder.own().isEmpty)
        #expect(try folder.provider(named: "google") != nil)
    }

    @Test func aBrokenFileKeepsNobodyFromTheCatalogue() throws {
        try withFolder { folder, path in
            try write("{\n\"acme\": {\"title\": 1}}", "\(path)/work.json")
            #expect(try folder.provider(named: "google") != nil)
            let error = #expect(throws: VaultError.self) { try folder.provider(named: "acme") }
            #expect(error?.facts[.path] == "\(path)/work.json")
            #expect(error?.facts[.line] == "2" && error?.facts[.field] == "acme.title")
            #expect(error?.facts[.wanted] == "a text")
        }
    }

    @Test func twoFilesMayNotSayTheSameName() throws {
        try withFolder { folder, path in
            try write(Self.acme, "\(path)/a.json")
            try write(Self.acme, "\(path)/b.json")
            let error = #expect(throws: VaultError.self) { try folder.own() }
            #expect(error?.facts[.path] == "\(path)/b.json" && error?.facts[.field] == "acme")
        }
    }

    @Test("a file that others can write is not read", arguments: [0o620, 0o602, 0o644])
    func mode(mode: Int) throws {
        try withFolder { folder, path in
            try write(Self.acme, "\(path)/work.json", mode: mode)
            let problem = #expect(throws: PermissionProblem.self) { try folder.own() }
            #expect(problem?.path == "\(path)/work.json")
        }
    }

    @Test func neitherIsALinkOrAFolderOfOthers() throws {
        try withFolder { folder, path in
            try write(Self.acme, "\(path)/real")
            try FileManager.default.createSymbolicLink(
                atPath: "\(path)/work.json",
                withDestinationPath: "\(path)/real"
            )
            #expect(
                throws: PermissionProblem(path: "\(path)/work.json", found: .symbolicLink)
            ) { try folder.own() }
            try FileManager.default.removeItem(atPath: "\(path)/work.json")
            try FileManager.default.setAttributes([.posixPermissions: 0o770], ofItemAtPath: path)
            #expect(throws: PermissionProblem.self) { try folder.own() }
        }
    }
}
