internal import OAuth

/// `--client-auth` of a client that has a secret.
enum ClientAuthenticationArgument {
    static func option(
        _ arguments: inout ArgumentReader
    ) throws(UsageError) -> ClientAuthentication? {
        guard let method = try arguments.option("--client-auth") else { return nil }
        guard let known = ClientAuthentication(rawValue: method), known != .none else {
            throw .malformed(
                "--client-auth",
                value: method,
                wanted: "client_secret_basic or client_secret_post"
            )
        }
        return known
    }
}
