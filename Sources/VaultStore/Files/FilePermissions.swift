internal import Platform

/// A file or directory that is not safe to trust, and what would be.
package struct PermissionProblem: Error, Sendable, Equatable {
    package let path: String
    package let found: Found

    /// What is wrong with it.
    package enum Found: Sendable, Equatable {
        case notADirectory
        case notARegularFile
        case symbolicLink
        case owner(UInt32, wanted: UInt32)
        case mode(UInt32, wanted: UInt32)
        case hardLinks(UInt64)
        case parentWritable(mode: UInt32)
    }
}

/// The rules of who may reach a vault's files, checked at every open.
///
/// Everything is looked at with lstat: opening and closing the database by hand would drop the
/// locks that SQLite holds on it in this process.
enum FilePermissions {
    /// A directory of the vault's own: ours alone, under parents that nobody else can change.
    static func checkDirectory(_ path: String) throws {
        let status = try FileSystem.status(of: path)
        if status.kind == .symbolicLink {
            return try checkDirectory(FileSystem.resolved(path))
        }
        guard status.kind == .directory else {
            throw PermissionProblem(path: path, found: .notADirectory)
        }
        try checkOwnerAndMode(path, status, wanted: 0o700)
        try checkParents(of: FileSystem.resolved(path))
    }

    /// A file of the vault: regular, ours, readable and writable by nobody else, of one name.
    static func checkFile(_ path: String) throws {
        let status = try FileSystem.status(of: path)
        switch status.kind {
        case .regular: break
        case .symbolicLink: throw PermissionProblem(path: path, found: .symbolicLink)
        default: throw PermissionProblem(path: path, found: .notARegularFile)
        }
        try checkOwnerAndMode(path, status, wanted: 0o600)
        guard status.links == 1 else {
            throw PermissionProblem(path: path, found: .hardLinks(status.links))
        }
    }

    private static func checkOwnerAndMode(
        _ path: String,
        _ status: FileStatus,
        wanted: UInt32
    ) throws(PermissionProblem) {
        guard status.owner == FileSystem.currentUser else {
            throw PermissionProblem(
                path: path,
                found: .owner(status.owner, wanted: FileSystem.currentUser)
            )
        }
        guard status.permissions & 0o077 == 0 else {
            throw PermissionProblem(path: path, found: .mode(status.permissions, wanted: wanted))
        }
    }

    /// Whoever can rename a parent's entries can put another vault in this one's place.
    private static func checkParents(of path: String) throws {
        var parent = path
        while let slash = parent.lastIndex(of: "/"), parent != "/" {
            parent = slash == parent.startIndex ? "/" : String(parent[..<slash])
            let status = try FileSystem.status(of: parent)
            let isSticky = status.permissions & 0o1000 != 0
            guard status.permissions & 0o022 == 0 || isSticky else {
                throw PermissionProblem(
                    path: parent,
                    found: .parentWritable(mode: status.permissions)
                )
            }
        }
    }
}
