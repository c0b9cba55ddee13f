import OAuth
import Testing
import VaultAccess
import VaultHTTPServer
import VaultInterface

@testable import VaultAgentServer

/// The OpenAPI document says what the agent does: that each answer is as it has it,
/// `AgentFixture.answer` sees to.
@Suite struct InterfaceDescriptionTests {
    private static func member(_ path: String) throws -> JSONValue {
        let root = try #require(JSONSchema.interface).root
        return try #require(
            path.split(separator: "/").reduce(JSONValue?(root)) { $0?.members?[String($1)] }
        )
    }

    private static func schema(_ name: String) throws -> JSONValue {
        try member("components/schemas/\(name)")
    }

    @Test func itsRoutesAreTheAgents() throws {
        let paths = try #require(Self.member("paths").members).dictionary
        let described = paths.flatMap { path, operations in
            (operations.members?.dictionary.keys ?? [:].keys).filter { $0 != "parameters" }
                .map { "\($0.uppercased()) \(path)" }
        }
        #expect(described.sorted() == Route.table.map { "\($0.method) \($0.path)" }.sorted())
    }

    @Test("the query fields of an operation are the agent's", arguments: 0..<Route.table.count)
    func fields(index: Int) throws {
        let schema = try #require(JSONSchema.interface)
        let entry = Route.table[index]
        let path = try #require(schema.root.members?["paths"]?.members?[entry.path]?.members)
        let operation = try #require(path[entry.method.lowercased()]?.members)
        let parameters = [operation["parameters"], path["parameters"]].compactMap { $0?.array }
            .joined().compactMap { schema.resolved($0)?.members }
        let named = { (place: String) in
            Set(parameters.filter { $0["in"]?.text == place }.compactMap { $0["name"]?.text })
        }
        #expect(named("query") == entry.fields)
        let inPath = entry.path.matches(of: /{(\w+)}/).map { String($0.output.1) }
        #expect(named("path") == Set(inPath))
        let success = operation["responses"]?.members?.dictionary.filter { $0.key.first == "2" }
        let contents = success?.values.first?.members?["content"]?.members?.dictionary.keys
        #expect(contents.map(Array.init) ?? [entry.answer.rawValue] == [entry.answer.rawValue])
    }

    @Test func everyReferenceLeadsSomewhere() throws {
        let schema = try #require(JSONSchema.interface)
        var pending = [schema.root]
        var count = 0
        while let value = pending.popLast() {
            pending += value.array ?? []
            pending += value.members?.dictionary.values.map(\.self) ?? []
            guard value.members?["$ref"]?.text != nil else { continue }
            count += 1
            #expect(schema.resolved(value) != nil)
        }
        #expect(count > 50)
    }

    @Test func everyNameOfAnOperationIsItsOwn() throws {
        let paths = try #require(Self.member("paths").members).dictionary.values
        let names = paths.flatMap { $0.members?.dictionary.values.map(\.self) ?? [] }
            .compactMap { $0.members?["operationId"]?.text }
        #expect(names.count == Route.table.count && Set(names).count == names.count)
    }

    @Test func itsStatesAndFactsAreTheVaults() throws {
        let states = try Self.schema("State").members?["enum"]?.array?.compactMap(\.text)
        #expect(states == AccountState.allCases.map(\.rawValue))
        let failure = try Self.member("components/schemas/Failure/properties")
        let facts = failure.member(at: "facts.propertyNames.enum")?.array?.compactMap(\.text) ?? []
        #expect(facts.count == 15 && facts.allSatisfy { VaultError.Fact(rawValue: $0) != nil })
    }

    @Test func theAgentGivesItAway() async throws {
        let agent = try await AgentFixture.make()
        let answer = await agent.answer("GET", "/v1/openapi.json")
        #expect(answer.status == 200 && answer.body == InterfaceDescription.json)
        await agent.service.stop()
    }

    @Test(
        "a schema refuses",
        arguments: [
            (#"{"agent":1}"#, "AgentStatus", ".schemaVersion: missing"),
            (#"{"schemaVersion":2,"account":null}"#, "CurrentAccount", ".schemaVersion: const"),
            (#"{"schemaVersion":1,"account":1}"#, "CurrentAccount", ".account: type"),
            (#"{"kind":"x"}"#, "Event", ".kind: enum"),
            (#"{"kind":"alive","x":1}"#, "Event", ".x: not described"),
            (#"{"code":"busy","facts":{"x":"y"}}"#, "Failure", ".facts.x: enum"),
            (#"{"code":"busy","facts":{"path":1}}"#, "Failure", ".facts.path: type"),
            (#""a b""#, "Name", ": pattern"),
        ]
    )
    func refuses(text: String, name: String, problem: String) throws {
        let bytes = Array(text.utf8)
        let value = JSONReader.read(bytes.span).value
        let found = try #require(JSONSchema.interface).problem(value, Self.schema(name))
        #expect(found == problem)
    }
}
