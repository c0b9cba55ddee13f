internal import OAuth
internal import VaultKit

/// What a request to add an account says of its refreshes (`AddAccountDocument.Refresh`).
enum RefreshAddition {
    private static let known: Set = [
        "provider", "rotation", "parameters", "sendsScope", "endpoint",
    ]

    /// The options, each of its kind; the registration that they are of is checked as a whole.
    static func options(_ account: BodyMembers) throws -> RefreshOptions {
        guard let members = try account.object("refresh", known: known) else {
            return RefreshOptions()
        }
        let endpoint = try members.optional("endpoint", \.text)
        return RefreshOptions(
            provider: try members.optional("provider", \.text),
            rotation: try rotation(members.optional("rotation", \.text)),
            parameters: try parameters(members),
            sendsScope: try members.optional("sendsScope", \.bool) ?? false,
            endpoint: try endpoint.map { try .checked($0, field: "refresh_endpoint") }
        )
    }

    private static func rotation(_ text: String?) throws -> RefreshTokenRotation? {
        guard let text else { return nil }
        guard let rotation = RefreshTokenRotation(text) else {
            throw VaultError(.invalidInput, facts: [.field: "rotation"])
        }
        return rotation
    }

    private static func parameters(_ members: BodyMembers) throws -> [RequestParameter] {
        try (members.objects("parameters", known: ["name", "value"]) ?? []).map { parameter in
            RequestParameter(
                try parameter.required("name", \.text),
                try parameter.required("value", \.text)
            )
        }
    }
}
