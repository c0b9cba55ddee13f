internal import OAuth
internal import VaultKit

/// What a request to add an account says of its refreshes (`AddAccountDocument.Refresh`).
enum RefreshAddition {
    /// The options, each of its kind; the registration that they are of is checked as a whole.
    static func options(_ value: JSONValue?) throws -> RefreshOptions {
        guard let value, value != .null else { return RefreshOptions() }
        guard let members = value.members else { throw AccountAddition.malformed }
        let endpoint = try member(members, "endpoint", \.text)
        return RefreshOptions(
            provider: try member(members, "provider", \.text),
            rotation: try rotation(member(members, "rotation", \.text)),
            parameters: try member(members, "parameters", \.array)?.map(parameter) ?? [],
            sendsScope: try member(members, "sendsScope", \.bool) ?? false,
            endpoint: try endpoint.map { try .checked($0, field: "refresh_endpoint") }
        )
    }

    /// A member that may be left out or null, but is nothing of another kind.
    private static func member<Value>(
        _ members: JSONObject,
        _ name: String,
        _ read: (JSONValue) -> Value?
    ) throws -> Value? {
        guard let value = members[name], value != .null else { return nil }
        guard let read = read(value) else { throw AccountAddition.malformed }
        return read
    }

    private static func rotation(_ text: String?) throws -> RefreshTokenRotation? {
        guard let text else { return nil }
        guard let rotation = RefreshTokenRotation(text) else {
            throw VaultError(.invalidInput, facts: [.field: "rotation"])
        }
        return rotation
    }

    private static func parameter(_ value: JSONValue) throws -> RequestParameter {
        guard let members = value.members, let name = members["name"]?.text,
            let value = members["value"]?.text
        else { throw AccountAddition.malformed }
        return RequestParameter(name, value)
    }
}
