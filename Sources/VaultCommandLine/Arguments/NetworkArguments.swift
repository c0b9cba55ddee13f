internal import OAuth
internal import VaultAgentClient
internal import VaultStore

/// What the command line says of how an account's requests reach its server.
struct NetworkArguments {
    static let help = """
        How its requests reach the server; config.json may have defaults for all of
        these ("defaults"), the environment never has:

          --proxy URL             http, https, socks5 or socks5h, a host and a port;
                                  never used for this machine itself
          --ca-file PATH          Trust the certificates in this file and no others;
                                  the account keeps them, not the file's name
          --client-cert PATH      Show this certificate to the server (RFC 8705); the
                                  file is read at every request, as it is renewed there
          --client-key PATH       Its private key, where that is in another file; it has
                                  to be readable for you alone
          --param NAME=VALUE      Send this besides when signing in; may be repeated,
                                  and is no place for a secret

        none in the place of URL or PATH takes away what was before.

        """

    private let proxy: String?
    private let caFile: String?
    private let certificate: String?
    private let key: String?
    private let parameters: [RequestParameter]

    init(_ arguments: inout ArgumentReader) throws(UsageError) {
        proxy = try arguments.option("--proxy")
            .map { (text) throws(UsageError) in try Self.proxy(text) }
        caFile = try arguments.option("--ca-file")
            .map { (path) throws(UsageError) in try Self.path(path, of: "--ca-file") }
        certificate = try arguments.option("--client-cert")
            .map { (path) throws(UsageError) in try Self.path(path, of: "--client-cert") }
        key = try arguments.option("--client-key")
            .map { (path) throws(UsageError) in try Self.path(path, of: "--client-key") }
        parameters = try ParameterArguments.read(
            arguments.options("--param"),
            of: "--param",
            where: RequestParameter.mayBeAsked
        )
        if key != nil, certificate == nil { throw .missing("--client-cert PATH") }
    }

    /// Parameters of the authorization request as the agent wants them; nil where nobody told.
    var authorizationParameters: [AddAccountDocument.Parameter]? {
        ParameterArguments.document(parameters)
    }

    /// As the agent wants it, once the files are what they have to be; nil where nobody told.
    func document() throws -> NetworkDocument? {
        guard proxy != nil || caFile != nil || certificate != nil else { return nil }
        let authorities = try caFile.map { path in
            path == NetworkDocument.none ? path : try NetworkFiles.authorities(path).pem
        }
        if let certificate, certificate != NetworkDocument.none,
            let files = ClientCertificate(
                certificatePath: certificate,
                keyPath: key ?? certificate
            )
        {
            try NetworkFiles.check(files)
        }
        return NetworkDocument(
            proxy: proxy,
            certificateAuthorities: authorities,
            clientCertificate: certificate,
            clientKey: key
        )
    }

    private static func proxy(_ text: String) throws(UsageError) -> String {
        guard text != NetworkDocument.none else { return text }
        do {
            return try ProxyURL(text).text
        } catch {
            let shown = EndpointURL.withoutUserInfo(text)
            throw .malformed("--proxy", value: shown, wanted: error.wanted)
        }
    }

    private static func path(_ path: String, of option: String) throws(UsageError) -> String {
        guard
            path == NetworkDocument.none
                || ClientCertificate(certificatePath: path, keyPath: path) != nil
        else { throw .malformed(option, value: path, wanted: "an absolute path") }
        return path
    }
}

extension ProxyURLError {
    /// What the address has to be.
    fileprivate var wanted: String {
        switch self {
        case .unknownScheme: "an address that begins with http, https, socks5 or socks5h"
        case .userInfo: "an address without a user name: others see the words of a command"
        case .portMissing: "an address with a port"
        case .malformed: "a scheme, a host and a port"
        }
    }
}
