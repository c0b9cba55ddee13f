import Platform
import VaultCrypto
import VaultKit
import VaultSQLite
import VaultStore

/// An error by a name that the harness can tell from a crash or from words about nothing.
enum FaultName {
    static func of(_ error: any Error) -> String {
        switch error {
        case let error as StoreError: "store \(error)"
        case let error as UnknownCommit: "unknown commit: \(of(error.cause))"
        case let error as SQLiteError: "sqlite \(error.code.rawValue) \(error.message)"
        case let error as SystemError: "system \(error.number) \(error)"
        case let error as VaultError: "vault \(error.code.rawValue) \(error)"
        case let error as PermissionProblem: "permission \(error)"
        case is SealingError: "sealing"
        case let error as AuthorizationServer.Refusal: "server \(error)"
        default: "unnamed \(type(of: error))"
        }
    }
}
