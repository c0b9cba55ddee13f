package import OAuth

/// What accounts are signed in and added with where nobody tells otherwise: `defaults` of `config.json`.
///
/// An account keeps what it began with, sealed; changing this changes no account.
package struct AccountDefaults: Sendable, Equatable {
    /// How requests reach the authorization server.
    package var network = NetworkOptions()
    /// Parameters added to authorization requests.
    package var authorizationParameters: [RequestParameter] = []
    /// Parameters added to refreshes.
    package var refreshParameters: [RequestParameter] = []
    /// The file of `network.certificateAuthorities`.
    var caFile: String?

    package init() {}

    private static let path = "an absolute path"

    init(_ members: ConfigurationMembers) throws(ConfigurationProblem) {
        var members = members
        if let found = members.take("proxy") { network.proxy = try Self.proxy(found) }
        caFile = try members.take("ca_file").map(Self.path)
        let certificate = members.take("client_certificate")
        let key = members.take("client_key")
        if let certificate {
            let path = try Self.path(certificate)
            network.clientCertificate = ClientCertificate(
                certificatePath: path,
                keyPath: try key.map(Self.path) ?? path
            )
        } else if let key {
            throw key.unfit("the key of a client_certificate, which is not there")
        }
        authorizationParameters = try Self.parameters(members.take("parameters")) {
            RequestParameter.mayBeAsked($0)
        }
        refreshParameters = try Self.parameters(members.take("refresh_parameters")) {
            RequestParameter.mayBeNamed($0)
        }
        try members.finish()
    }

    private static func path(
        _ found: ConfigurationMembers.Found
    ) throws(ConfigurationProblem) -> String {
        try found.text(path) { ClientCertificate(certificatePath: $0, keyPath: $0) != nil }
    }

    private static func proxy(
        _ found: ConfigurationMembers.Found
    ) throws(ConfigurationProblem) -> ProxyURL {
        let wanted = "http, https, socks5 or socks5h, a host and a port, and no user name"
        let text = try found.text(wanted) { (try? ProxyURL($0)) != nil }
        guard let proxy = try? ProxyURL(text) else { throw found.unfit(wanted) }
        return proxy
    }

    /// Reads what the files hold, as far as it is to be kept.
    mutating func readFiles() throws {
        if let caFile { network.certificateAuthorities = try NetworkFiles.authorities(caFile) }
    }

    /// In the order of the file, which is the order they are sent in.
    private static func parameters(
        _ found: ConfigurationMembers.Found?,
        where mayBe: (String) -> Bool
    ) throws(ConfigurationProblem) -> [RequestParameter] {
        guard let found else { return [] }
        var members = try found.members()
        var parameters: [RequestParameter] = []
        for (name, line, found) in members.takeAll() {
            guard mayBe(name) else {
                throw ConfigurationProblem(
                    line: line,
                    .unfit(found.name, wanted: "another name: this one is the vault's business")
                )
            }
            parameters.append(RequestParameter(name, try found.text("a text") { _ in true }))
        }
        return parameters
    }
}
