import OAuth
import Testing
import VaultCrypto
import VaultHTTPServer

@testable import VaultAgentServer

/// Holds each answer of the agent to the interface's description.
enum DescribedAnswers {
    /// What is wrong with an answer; nil when it is one that is described.
    static func problem(_ response: HTTPServerResponse, to request: HTTPServerRequest) -> String? {
        guard let schema = JSONSchema.interface else { return "no description" }
        let type = response.header("Content-Type")
        guard let described = description(of: response.status, to: request, schema) else {
            // What leads nowhere is answered as every refusal is.
            guard response.status >= 400 else { return "\(response.status) is not described" }
            return problem(response, schema.resolved(refused), schema)
        }
        guard let contents = described.members?["content"]?.members else {
            return response.body.isEmpty && type == nil ? nil : "a body"
        }
        let name = type?.split(separator: ";").first.map(String.init) ?? ""
        guard contents[name] != nil else { return "of type \(name)" }
        return name == "application/json" ? problem(response, described, schema) : nil
    }

    private static let refused = JSONValue.object([
        "$ref": .string(.init("#/components/responses/Refused"))
    ])

    private static func problem(
        _ response: HTTPServerResponse,
        _ described: JSONValue?,
        _ schema: JSONSchema
    ) -> String? {
        let contents = described?.members?["content"]?.members
        guard let wanted = contents?["application/json"]?.members?["schema"] else {
            return "no schema"
        }
        let body = response.body
        let result = JSONReader.read(body.span)
        return result.isComplete ? schema.problem(result.value, wanted) : "no JSON"
    }

    /// What is said of a status in the operation that a request leads to.
    private static func description(
        of status: Int,
        to request: HTTPServerRequest,
        _ schema: JSONSchema
    ) -> JSONValue? {
        guard
            case .found(_, let entry) = Route.match(method: request.method, path: request.path)
        else { return nil }
        let responses = schema.root.members?["paths"]?.members?[entry.path]?
            .members?[entry.method.lowercased()]?.members?["responses"]?.members
        let found = responses?["\(status)"] ?? responses?["\(status / 100)XX"]
        return found.flatMap { schema.resolved($0) }
    }
}
