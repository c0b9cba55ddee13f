import FoundationEssentials
import OAuth
import Testing
import VaultCrypto
import VaultHTTP
import VaultTesting

/// Whose certificates are believed, and what is said of those that are not.
@Suite struct TLSTests {
    private let transport = CurlTransport()
    private let certificates: TestCertificates

    init() throws {
        certificates = try TestCertificates.shared.get()
    }

    private func server(_ name: String, _ more: [String] = []) async throws -> NetworkPeer {
        try await NetworkPeer(
            "tls",
            [certificates["\(name).pem"], certificates["\(name).key"]] + more
        )
    }

    private func request(_ peer: NetworkPeer, trusting ca: String?) throws -> HTTPRequest {
        var request = HTTPRequest(
            .post,
            try EndpointURL("https://127.0.0.1:\(peer.port)/token"),
            body: Secret("grant_type=refresh_token")
        )
        request.network.certificateAuthorities = try ca.map {
            try CertificateAuthorities(pem: certificates.pem($0))
        }
        return request
    }

    @Test func anAuthorityOfOnesOwnIsTrusted() async throws {
        let peer = try await server("server")
        let response = try await transport.send(request(peer, trusting: "ca.pem"))
        #expect(response.text == "client=nobody")
        let place = try EndpointURL("https://127.0.0.1:\(peer.port)/")
        let network = try request(peer, trusting: "ca.pem").network
        #expect(await transport.canReach(place, through: network))
        #expect(await !transport.canReach(place, through: NetworkOptions()))
    }

    @Test(
        "refuses, before a byte of the request has left",
        arguments: [
            // Nobody knows the authority; another one is trusted in its place.
            ("server", nil, .certificateUntrusted),
            ("server", "other.pem", .certificateUntrusted),
            ("elsewhere", "ca.pem", .certificateOfAnotherHost),
            ("expired", "ca.pem", .certificateExpired),
        ] as [(String, String?, HTTPTransportError.Reason)]
    )
    func refused(
        certificate: String,
        authority: String?,
        reason: HTTPTransportError.Reason
    ) async throws {
        let peer = try await server(certificate)
        let failure = try await transport.failure(of: request(peer, trusting: authority))
        #expect(failure == .notSent(reason))
        #expect(peer.log.isEmpty)
    }

    @Test func authoritiesThatAreNoneAreRefused() async throws {
        let peer = try await server("server")
        var request = try request(peer, trusting: nil)
        request.network.certificateAuthorities = try CertificateAuthorities(
            pem: "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"
        )
        #expect(await transport.failure(of: request) == .notSent(.authoritiesUnusable))
    }

    /// The second request would have a kept connection, or a TLS session to take up again.
    @Test func nothingIsSharedWithRequestsOfOtherOptions() async throws {
        let peer = try await server("server")
        for _ in 1...2 {
            var request = try request(peer, trusting: "ca.pem")
            request.method = .get
            request.body = nil
            #expect(try await transport.send(request).text == "client=nobody")
        }
        var other = try request(peer, trusting: "other.pem")
        other.method = .get
        other.body = nil
        #expect(await transport.failure(of: other) == .notSent(.certificateUntrusted))
        #expect(peer.log.count == 2)
        #expect(peer.log.allSatisfy { $0.hasSuffix("reused=False") })
    }

    // MARK: - RFC 8705

    @Test(arguments: [("client.pem", "client.key"), ("both.pem", "both.pem")])
    func theClientShowsItsCertificate(certificate: String, key: String) async throws {
        let peer = try await server("server", [certificates["ca.pem"]])
        var request = try request(peer, trusting: "ca.pem")
        request.network.clientCertificate = ClientCertificate(
            certificatePath: certificates[certificate],
            keyPath: certificates[key]
        )
        #expect(try await transport.send(request).text == "client=client")
        request.network.clientCertificate = nil
        #expect(await transport.failure(of: request) != nil)
        #expect(peer.log.count == 1)
    }

    @Test(
        "a certificate or key that cannot be used costs nothing",
        arguments: [
            ("client.pem", "missing.key"), ("missing.pem", "client.key"), ("client.pem", "ca.key"),
            ("client.pem", "client.pem"), ("client.key", "client.key"), ("client.pem", "open.key"),
            ("client.pem", "encrypted.key"),
        ]
    )
    func unusable(certificate: String, key: String) async throws {
        let peer = try await server("server", [certificates["ca.pem"]])
        try certificates.makeOddKeys()
        var request = try request(peer, trusting: "ca.pem")
        request.network.clientCertificate = ClientCertificate(
            certificatePath: certificates[certificate],
            keyPath: certificates[key]
        )
        #expect(await transport.failure(of: request) == .notSent(.clientCertificateUnusable))
        #expect(peer.log.isEmpty)
    }
}

extension TestCertificates {
    /// A key that others may read, and one that has a passphrase.
    fileprivate func makeOddKeys() throws {
        let files = FileManager.default
        guard !files.fileExists(atPath: self["encrypted.key"]) else { return }
        try Data(contentsOf: URL(filePath: self["client.key"]))
            .write(to: URL(filePath: self["open.key"]))
        try files.setAttributes([.posixPermissions: 0o644], ofItemAtPath: self["open.key"])
        let text = """
            -----BEGIN ENCRYPTED PRIVATE KEY-----
            MIHjME4GCSqGSIb3DQEFDTBBMCkGCSqGSIb3DQEFDDAcBAhAAAAAAAAAAAICCAAw
            -----END ENCRYPTED PRIVATE KEY-----

            """
        try Data(text.utf8).write(to: URL(filePath: self["encrypted.key"]))
        try files.setAttributes([.posixPermissions: 0o600], ofItemAtPath: self["encrypted.key"])
    }
}
