package import FoundationEssentials
package import VaultCrypto

/// What a device shows to its resource owner, and what it polls with (RFC 8628 §3.2).
package struct DeviceAuthorization: Sendable {
    /// What the device presents at the token endpoint.
    package let deviceCode: Secret
    /// What the resource owner types: up to 64 characters that are all seen.
    package let userCode: String
    /// Where the resource owner types it.
    package let verificationURI: EndpointURL
    /// The same address with the code in it, where the server gave one.
    package let verificationURIComplete: EndpointURL?
    /// Seconds that both codes live, counted from when they were asked for.
    package let lifetime: Double
    /// Seconds between polls.
    package let interval: Double
}

extension DeviceAuthorization {
    /// What an answer of the device authorization endpoint comes to.
    package enum Answer: Sendable {
        case granted(DeviceAuthorization)
        case refused(TokenEndpointError)
    }

    /// Asks for codes (RFC 8628 §3.1).
    ///
    /// The client is named in the body also where it authenticates in the header: that is the form
    /// of the RFC's example, and what servers look for.
    package static func request(
        client: Client,
        endpoint: EndpointURL,
        scope: Scope,
        scopeSeparator: String = " ",
        extra: [(String, String)] = []
    ) -> HTTPRequest {
        var parameters = client.bodyParameters
        if parameters.isEmpty { parameters = [("client_id", Secret(client.id.rawValue))] }
        if !scope.isEmpty {
            parameters.append(("scope", Secret(scope.names.joined(separator: scopeSeparator))))
        }
        let taken = Set(parameters.map(\.name))
        parameters += extra.filter { !taken.contains($0.0) && RequestParameter.mayBeNamed($0.0) }
            .map { (name: $0.0, value: Secret($0.1)) }
        var headers = [
            HTTPHeader("Accept", "application/json"),
            HTTPHeader("Content-Type", TokenRequest.BodyFormat.form.mediaType),
        ]
        if let authorization = client.basicAuthorization {
            headers.append(HTTPHeader("Authorization", authorization))
        }
        return HTTPRequest(
            .post,
            endpoint,
            headers: headers,
            body: TokenRequest.BodyFormat.form.body(parameters)
        )
    }

    /// Reads what came back.
    ///
    /// - Parameters:
    ///   - response: The answer, whatever its status.
    ///   - start: The moment that a `Retry-After` without a `Date` beside it counts from.
    ///   - quirks: Where the provider departs from the standards.
    /// - Returns: The codes, or the reason why there are none.
    package static func read(
        _ response: HTTPResponse,
        countingFrom start: Date,
        quirks: ProviderQuirks = ProviderQuirks()
    ) -> Answer {
        let body = TokenBody(response.body)
        if (200..<300).contains(response.status), body.isReadable,
            !TokenProblem(body.members, quirks: quirks).isTold,
            let authorization = DeviceAuthorization(body.members)
        {
            return .granted(authorization)
        }
        return .refused(TokenEndpointError(response, countingFrom: start, quirks: quirks))
    }

    /// Half an hour, where the server does not say (RFC 8628 §3.2 wants it to).
    private static let usualLifetime = 1800.0
    /// RFC 8628 §3.2.
    private static let usualInterval = 5.0

    private init?(_ members: [String: JSONValue]) {
        // Google writes "url".
        func address(_ names: String...) -> EndpointURL? {
            names.lazy.compactMap { members[$0]?.text }.first.flatMap { try? EndpointURL($0) }
        }
        guard let deviceCode = members["device_code"]?.secret, !deviceCode.isEmpty,
            deviceCode.isPrintable, let userCode = members["user_code"]?.text,
            // What a terminal obeys, and what nobody sees, is in no code that somebody is to type.
            PlainText.clean(userCode, limit: 64, without: nil) == userCode,
            let verificationURI = address("verification_uri", "verification_url")
        else { return nil }
        self.deviceCode = deviceCode
        self.userCode = userCode
        self.verificationURI = verificationURI
        // Without it the code is typed.
        verificationURIComplete = address("verification_uri_complete", "verification_url_complete")
        lifetime = members["expires_in"]?.positive ?? Self.usualLifetime
        interval = members["interval"]?.positive ?? Self.usualInterval
    }
}

extension TokenEndpointError {
    /// Why an endpoint that gives no tokens did not give what it was asked for.
    init(
        _ response: HTTPResponse,
        countingFrom start: Date,
        quirks: ProviderQuirks = ProviderQuirks()
    ) {
        let answer = TokenResponseReader(grantType: .authorizationCode, quirks: quirks)
            .read(response, countingFrom: start)
        switch answer {
        case .refused(let error): self = error
        case .granted: self.init(class: .ambiguous(.malformed), status: response.status)
        }
    }
}
