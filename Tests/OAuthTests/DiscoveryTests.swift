import OAuth
import Testing
import VaultCrypto

@Suite struct DiscoveryTests {
    @Test("reads the corpus", arguments: DiscoveryRow.all)
    func corpus(row: DiscoveryRow) async {
        let outcome = await row.outcome()
        let expected = row.decision
        switch outcome {
        case .success(let metadata):
            #expect(expected.ok)
            #expect(metadata.source.string == expected.fetched_from)
            #expect(metadata.issuer == expected.issuer)
            #expect(metadata.authorizationEndpoint?.string == expected.authorization_endpoint)
            #expect(metadata.tokenEndpoint.string == expected.token_endpoint)
            #expect(
                metadata.deviceAuthorizationEndpoint?.string
                    == expected.device_authorization_endpoint
            )
            #expect(metadata.revocationEndpoint?.string == expected.revocation_endpoint)
            if let methods = expected.token_endpoint_auth_methods {
                #expect(metadata.tokenEndpointAuthMethodsSupported == methods)
            }
            #expect(
                metadata.authorizationResponseIssParameterSupported
                    == (expected.iss_parameter_required ?? false)
            )
        case .failure(let error):
            #expect(!expected.ok)
            #expect(error.corpusName == expected.error)
            if let endpoint = expected.endpoint { #expect(error.endpoint?.rawValue == endpoint) }
        }
    }

    @Test func fetchesNothingFromAnInsecureIssuer() async {
        await #expect(throws: DiscoveryError.issuerInsecure) {
            try await AuthorizationServerMetadata.discover(
                issuer: "http://as.example",
                using: UnreachableTransport()
            )
        }
    }

    @Test func passesOnWhyAPlaceDidNotAnswer() async {
        let failure = HTTPTransportError.notSent(.nameNotResolved)
        await #expect(throws: DiscoveryError.unreachable(failure)) {
            try await AuthorizationServerMetadata.discover(
                issuer: "https://as.example",
                using: FailingTransport(failure: failure)
            )
        }
    }

    @Test(
        "wants the endpoint of the grant",
        arguments: [
            (.authorizationCode, .endpointMissing(.authorization)),
            (.deviceCode, .endpointMissing(.deviceAuthorization)),
            (.clientCredentials, nil), (.refreshToken, nil), (nil, nil),
        ] as [(GrantType?, DiscoveryError?)]
    )
    func requires(grantType: GrantType?, error: DiscoveryError?) async {
        let outcome = await Self.discover(
            #"{"issuer":"https://as.example","token_endpoint":"https://as.example/t"}"#,
            for: grantType
        )
        #expect(outcome.error == error)
    }

    @Test func findsTheDocumentWhoseOwnAddressWasPasted() async {
        let place = "https://as.example/.well-known/oauth-authorization-server/t"
        let body = #"{"issuer":"https://as.example/t","token_endpoint":"https://as.example/t/t"}"#
        let found = try? await AuthorizationServerMetadata.discover(
            issuer: place,
            using: DocumentTransport(documents: [place: .init(status: 200, body: Secret(body))])
        )
        #expect(found?.source.string == place)
    }

    @Test func dropsOptionalEndpointsThatAreNotSafe() async {
        let outcome = await Self.discover(
            """
            {"issuer":"https://as.example","token_endpoint":"https://as.example/t",
             "revocation_endpoint":"http://as.example/r","userinfo_endpoint":5,
             "registration_endpoint":"https://as.example/reg"}
            """
        )
        #expect(outcome.metadata?.revocationEndpoint == nil)
        #expect(outcome.metadata?.userinfoEndpoint == nil)
        #expect(outcome.metadata?.registrationEndpoint?.string == "https://as.example/reg")
    }

    private static func discover(
        _ body: String,
        for grantType: GrantType? = nil
    ) async -> Result<AuthorizationServerMetadata, DiscoveryError> {
        let place = "https://as.example/.well-known/openid-configuration"
        do throws(DiscoveryError) {
            return .success(
                try await AuthorizationServerMetadata.discover(
                    issuer: "https://as.example",
                    for: grantType,
                    using: DocumentTransport(
                        documents: [place: .init(status: 200, body: Secret(body))])
                )
            )
        } catch {
            return .failure(error)
        }
    }
}

extension Result where Success == AuthorizationServerMetadata, Failure == DiscoveryError {
    fileprivate var metadata: Success? { try? get() }

    fileprivate var error: Failure? {
        guard case .failure(let error) = self else { return nil }
        return error
    }
}

/// Answers from a table of documents.
struct DocumentTransport: HTTPTransport {
    var documents: [String: HTTPResponse]
    var otherwise = HTTPResponse(status: 404, body: Secret(""))

    func send(_ request: HTTPRequest) async throws(HTTPTransportError) -> HTTPResponse {
        documents[request.url.string] ?? otherwise
    }
}

/// Never gets an answer.
struct FailingTransport: HTTPTransport {
    let failure: HTTPTransportError

    func send(_ request: HTTPRequest) async throws(HTTPTransportError) -> HTTPResponse {
        throw failure
    }
}

/// Fails the test that uses it.
struct UnreachableTransport: HTTPTransport {
    func send(_ request: HTTPRequest) async throws(HTTPTransportError) -> HTTPResponse {
        Issue.record("sent a request to \(request.url)")
        throw .notSent(.refused)
    }
}
