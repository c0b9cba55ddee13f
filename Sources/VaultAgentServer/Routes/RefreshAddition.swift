internal import OAuth
internal import VaultKit

/// What a request to add an account says of its refreshes (`AddAccountDocument.Refresh`).
enum RefreshAddition {
    /// The options, once each of them is what it should be.
    static func options(_ value: JSONValue?) throws -> RefreshOptions {
        guard let value, value != .null else { return RefreshOptions() }
        guard let members = value.members else { throw AccountAddition.malformed }
        let endpoint = try member(members, "endpoint", \.text)
        return RefreshOptions(
            provider: try provider(member(members, "provider", \.text)),
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

    private static func provider(_ name: String?) throws -> String? {
        guard let name else { return nil }
        guard ProviderCatalogue.builtIn[name] != nil else { throw wrong("provider") }
        return name
    }

    private static func rotation(_ text: String?) throws -> RefreshTokenRotation? {
        guard let text else { return nil }
        guard let rotation = RefreshTokenRotation(text) else { throw wrong("rotation") }
        return rotation
    }

    private static func parameter(_ value: JSONValue) throws -> RequestParameter {
        guard let members = value.members, let name = members["name"]?.text,
            let value = members["value"]?.text
        else { throw AccountAddition.malformed }
        guard RequestParameter.mayBeNamed(name) else { throw wrong("refresh_parameters") }
        return RequestParameter(name, value)
    }

    private static func wrong(_ field: String) -> VaultError {
        VaultError(.invalidInput, facts: [.field: field])
    }
}
