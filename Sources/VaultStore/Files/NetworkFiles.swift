package import OAuth
internal import Platform
internal import VaultAccess
internal import VaultCrypto

/// The files that somebody names for an account's connections, read and checked when they are named.
package enum NetworkFiles {
    /// A larger one is nothing of the kind.
    private static let limit = 1 << 20

    /// The certificates in a file: whoever can change it, or put another in its place, decides whom
    /// the account's secrets go to.
    package static func authorities(_ path: String) throws -> CertificateAuthorities {
        let text = try reading(path) { () throws -> String in
            try FilePermissions.checkUnchangeable(path)
            let file = try OpenFile(reading: path, followingLinks: true)
            return String(decoding: try file.read(limit: limit), as: UTF8.self)
        }
        do {
            return try CertificateAuthorities(pem: text)
        } catch {
            throw VaultError(
                .invalidInput,
                facts: [.field: "ca_file", .path: path, .reason: error.wireName]
            )
        }
    }

    /// Refuses a client's certificate or key that no request could use.
    package static func check(_ files: ClientCertificate) throws {
        try check(files.certificatePath, has: "CERTIFICATE-----", "client_certificate") { _ in }
        try check(files.keyPath, has: "PRIVATE KEY-----", "client_key") {
            try FilePermissions.checkFile(files.keyPath, $0)
        }
    }

    private static func check(
        _ path: String,
        has mark: String,
        _ field: String,
        _ check: (FileStatus) throws -> Void
    ) throws {
        let text = try reading(path) { () throws -> Secret in
            let file = try OpenFile(reading: path, followingLinks: true)
            try check(file.status)
            var bytes = try file.read(limit: limit)
            return Secret(wiping: &bytes)
        }
        guard text.reveal({ $0.contains(mark) }) else {
            throw VaultError(
                .invalidInput,
                facts: [.field: field, .path: path, .reason: "not_pem"]
            )
        }
    }

    private static func reading<Value>(_ path: String, _ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let problem as PermissionProblem {
            throw VaultError(problem)
        } catch let error as SystemError {
            throw VaultError(.storage, facts: [.path: path, .reason: error.description])
        }
    }
}

extension CertificateError {
    fileprivate var wireName: String {
        switch self {
        case .noCertificate: "no_certificate"
        case .malformed: "malformed_certificate"
        case .privateKey: "private_key"
        case .tooLarge: "too_large"
        }
    }
}
