internal import OAuth
internal import VaultAgentClient
internal import VaultKit

/// What a request says of an account's connections (`NetworkDocument`).
enum NetworkAddition {
    private static let known: Set = [
        "proxy", "certificateAuthorities", "clientCertificate", "clientKey",
    ]

    static func document(_ account: BodyMembers) throws(VaultError) -> NetworkDocument? {
        guard let members = try account.object("network", known: known) else { return nil }
        return NetworkDocument(
            proxy: try members.optional("proxy", \.text),
            certificateAuthorities: try members.optional("certificateAuthorities", \.text),
            clientCertificate: try members.optional("clientCertificate", \.text),
            clientKey: try members.optional("clientKey", \.text)
        )
    }

    /// Name and value each, of a list that is left out where nobody told.
    static func parameters(
        _ name: String,
        _ account: BodyMembers
    ) throws(VaultError) -> [RequestParameter]? {
        guard let list = try account.objects(name, known: ["name", "value"]) else { return nil }
        var parameters: [RequestParameter] = []
        for parameter in list {
            let name = try parameter.required("name", \.text)
            parameters.append(RequestParameter(name, try parameter.required("value", \.text)))
        }
        return parameters
    }
}

extension NetworkDocument {
    /// The options, where it leaves out nothing the same as before.
    func options(before: NetworkOptions) throws(VaultError) -> NetworkOptions {
        var options = before
        if let proxy {
            options.proxy = proxy == Self.none ? nil : try Self.proxy(proxy)
        }
        if let certificateAuthorities {
            options.certificateAuthorities =
                certificateAuthorities == Self.none
                ? nil : try Self.authorities(certificateAuthorities)
        }
        if let clientCertificate {
            options.clientCertificate =
                clientCertificate == Self.none
                ? nil : try Self.certificate(clientCertificate, clientKey ?? clientCertificate)
        } else if clientKey != nil {
            throw VaultError(.invalidInput, facts: [.field: "client_key", .reason: "alone"])
        }
        return options
    }

    private static func proxy(_ text: String) throws(VaultError) -> ProxyURL {
        do {
            return try ProxyURL(text)
        } catch {
            let reason = error == .userInfo ? "user_info" : "malformed"
            throw VaultError(.invalidInput, facts: [.field: "proxy", .reason: reason])
        }
    }

    private static func authorities(_ pem: String) throws(VaultError) -> CertificateAuthorities {
        do {
            return try CertificateAuthorities(pem: pem)
        } catch {
            throw VaultError(.invalidInput, facts: [.field: "certificate_authorities"])
        }
    }

    private static func certificate(
        _ certificate: String,
        _ key: String
    ) throws(VaultError) -> ClientCertificate {
        guard let files = ClientCertificate(certificatePath: certificate, keyPath: key) else {
            let facts: [VaultError.Fact: String] = [
                .field: "client_certificate", .reason: "not_absolute",
            ]
            throw VaultError(.invalidInput, facts: facts)
        }
        return files
    }
}

extension AddAccountDocument.Parameter {
    init(_ parameter: RequestParameter) {
        self.init(name: parameter.name, value: parameter.value)
    }
}
