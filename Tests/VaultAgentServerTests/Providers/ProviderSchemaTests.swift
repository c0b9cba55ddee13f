import FoundationEssentials
import OAuth
import Testing
import VaultCrypto

@testable import VaultAgentServer
@testable import VaultStore

/// The published schema of providers' files takes what the program takes.
@Suite struct ProviderSchemaTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    private static func json(_ path: String) throws -> JSONValue {
        let bytes = Array(try Data(contentsOf: root.appending(path: path)))
        let result = JSONReader.read(bytes.span)
        try #require(result.isComplete)
        return result.value
    }

    private func problem(_ entry: JSONValue) throws -> String? {
        let schema = JSONSchema(root: try Self.json("Documentation/provider.schema.json"))
        let provider = JSONValue.object(["$ref": .string(.init("#/$defs/Provider"))])
        return schema.problem(entry, provider)
    }

    @Test func theCatalogueIsAsTheSchemaHasIt() throws {
        let catalogue = try Self.json("Sources/OAuth/providers.json")
        for (name, entry) in catalogue.members?.dictionary ?? [:] {
            let found = try problem(entry)
            #expect(found == nil, "\(name)\(found ?? "")")
        }
    }

    @Test func itHasTheMembersThatAreRead() throws {
        let schema = try Self.json("Documentation/provider.schema.json")
        func names(_ path: [String]) -> Set<String> {
            let found = path.reduce(JSONValue?(schema)) { $0?.members?[$1] }
            return Set(found?.members?.dictionary.keys.map { $0 } ?? [])
        }
        #expect(names(["$defs", "Provider", "properties"]) == ProviderCatalogue.Entry.memberNames)
        #expect(
            names(["$defs", "Quirks", "properties"])
                == Set(ProviderQuirks.CodingKeys.allCases.map(\.rawValue))
        )
    }

    @Test(
        "what the program refuses by its kind, the schema refuses",
        arguments: [
            #""title": 1"#, #""title": "A", "pkce": "no""#, #""title": "A", "hosts": "a.example""#,
            #""title": "A", "x": 1"#, #""title": "A", "quirks": {"x": 1}"#,
            #""title": "A", "quirks": {"body_format": "xml"}"#,
            #""title": "A", "quirks": {"error_codes": {"a": "b"}}"#,
            #""title": "A", "revocation": {"form": "bearer"}"#,
            #""title": "A", "revocation": {"endpoint": "https://a.example", "form": "x"}"#,
            #""title": "A", "client_authentication": "basic""#,
            #""title": "A", "token_requests": {"count": 1}"#,
            #""title": "A", "default_scope": "a""#, #""title": "A", "settling_time": "1""#,
            #""sends_scope": true"#,
        ]
    )
    func refused(members: String) throws {
        let entry = #"{"token_endpoint": "https://a.example/t", \#(members)}"#
        #expect(try problem(JSONReader.read(Array(entry.utf8).span).value) != nil)
        #expect(throws: ConfigurationProblem.self) {
            try ProviderFile.read(Array(#"{"acme": \#(entry)}"#.utf8))
        }
    }
}
