/// Where and how one provider takes tokens back.
package struct ProviderRevocation: Sendable, Hashable {
    /// How a token is handed in.
    package enum Form: String, Sendable, Hashable, Codable, CaseIterable {
        /// As RFC 7009 §2.1 has it.
        case standard = "rfc7009"
        /// The same with the client's identifier alone, also where it has a secret.
        case clientID = "client_id"
        /// The access token as the parameter `access_token`.
        case accessToken = "access_token"
        /// The access token in the `Authorization` header.
        case bearer

        /// Whether an access token is what is handed in, for the whole grant.
        package var takesAccessToken: Bool { self == .accessToken || self == .bearer }
    }

    package var endpoint: EndpointTemplate
    package var form: Form

    package init(endpoint: EndpointTemplate, form: Form = .standard) {
        self.endpoint = endpoint
        self.form = form
    }
}

extension ProviderRevocation: Codable {
    package enum CodingKeys: String, CodingKey, CaseIterable {
        case endpoint
        case form
    }

    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        endpoint = try members.template(.endpoint) ?? members.missing(.endpoint)
        form = try members.decodeIfPresent(Form.self, forKey: .form) ?? .standard
    }

    package func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(endpoint.text, forKey: .endpoint)
        if form != .standard { try members.encode(form, forKey: .form) }
    }
}
