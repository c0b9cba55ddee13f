package import Platform

/// A file or directory that is not safe to trust, and what would be.
package struct PermissionProblem: Error, Sendable, Equatable {
    package let path: String
    package let found: Found

    package init(path: String, found: Found) {
        self.path = path
        self.found = found
    }

    /// What is wrong with it.
    package enum Found: Sendable, Equatable {
        case notADirectory
        case notARegularFile
        case symbolicLink
        case owner(UInt32, wanted: UInt32)
        case mode(UInt32, wanted: UInt32)
        case hardLinks(UInt64)
        case parentWritable(mode: UInt32)
        case parentOwner(UInt32)
    }
}

/// The rules of who may reach a vault's files, checked at every open.
///
/// Everything is looked at with lstat: opening and closing the database by hand would drop the
/// locks that SQLite holds on it in this process.
package enum FilePermissions {
    /// A directory of the vault's own: ours alone, under parents that nobody else can change.
    package static func checkDirectory(_ path: String) throws {
        var walk = DirectoryWalk(path)
        let (place, status) = try walk.run()
        guard status.kind == .directory else {
            throw PermissionProblem(path: place, found: .notADirectory)
        }
        try checkOwnerAndMode(place, status, wanted: 0o700)
    }

    /// A file of the vault: regular, ours, readable and writable by nobody else, of one name.
    package static func checkFile(_ path: String) throws {
        try checkFile(path, FileSystem.status(of: path))
    }

    package static func checkFile(_ path: String, _ status: FileStatus) throws(PermissionProblem) {
        try checkIsRegular(path, status)
        try checkOwnerAndMode(path, status, wanted: 0o600)
        guard status.links == 1 else {
            throw PermissionProblem(path: path, found: .hardLinks(status.links))
        }
    }

    /// A program that we run for the user.
    package static func checkProgram(_ path: String) throws {
        try checkUnchangeable(path)
    }

    /// A file of the user's or root's, which nobody else can change or put another in its place.
    package static func checkUnchangeable(_ path: String) throws {
        var walk = DirectoryWalk(path)
        let (place, status) = try walk.run()
        guard status.kind == .regular else {
            throw PermissionProblem(path: place, found: .notARegularFile)
        }
        guard walk.isTrusted(status.owner) else {
            throw PermissionProblem(path: place, found: .parentOwner(status.owner))
        }
        guard status.permissions & 0o022 == 0 else {
            let wanted = status.permissions & ~0o022
            throw PermissionProblem(path: place, found: .mode(status.permissions, wanted: wanted))
        }
    }

    private static func checkIsRegular(
        _ path: String,
        _ status: FileStatus
    ) throws(PermissionProblem) {
        switch status.kind {
        case .regular: return
        case .symbolicLink: throw PermissionProblem(path: path, found: .symbolicLink)
        default: throw PermissionProblem(path: path, found: .notARegularFile)
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
}

/// The way to a directory, name by name and through every symbolic link: whoever can rename an entry
/// anywhere on it can put another vault in this one's place.
private struct DirectoryWalk {
    /// As many as the kernel follows.
    private static let linkLimit = 40

    /// Names still to go, the next one last.
    private var names: [Substring]
    private var place = "/"
    private var links = 0

    init(_ path: String) {
        names = path.split(separator: "/").reversed()
    }

    /// Checks every directory before the last, and gives that with its true path.
    mutating func run() throws -> (path: String, FileStatus) {
        var status = try FileSystem.status(of: place)
        while let name = names.popLast() {
            if name == "." { continue }
            guard name != ".." else {
                place = parent(of: place)
                status = try FileSystem.status(of: place)
                continue
            }
            if status.kind == .directory { try check(status) }
            let next = place == "/" ? "/\(name)" : "\(place)/\(name)"
            let found = try FileSystem.status(of: next)
            if found.kind == .symbolicLink {
                try follow(next, found)
                status = try FileSystem.status(of: place)
            } else {
                (place, status) = (next, found)
            }
        }
        return (place, status)
    }

    private mutating func follow(_ link: String, _ status: FileStatus) throws {
        links += 1
        guard links <= Self.linkLimit else { throw SystemError.tooManyLinks }
        guard isTrusted(status.owner) else {
            throw PermissionProblem(path: link, found: .parentOwner(status.owner))
        }
        let target = try FileSystem.target(ofLink: link)
        if target.hasPrefix("/") { place = "/" }
        names += target.split(separator: "/").reversed()
    }

    private func check(_ status: FileStatus) throws(PermissionProblem) {
        let isSticky = status.permissions & 0o1000 != 0
        guard status.permissions & 0o022 == 0 || isSticky else {
            throw PermissionProblem(path: place, found: .parentWritable(mode: status.permissions))
        }
        guard isTrusted(status.owner) else {
            throw PermissionProblem(path: place, found: .parentOwner(status.owner))
        }
    }

    /// Root's are root's to change anyway, and in a sandbox root may have no number but this.
    func isTrusted(_ owner: UInt32) -> Bool {
        owner == 0 || owner == FileSystem.currentUser || UserNamespace.hidesRoot(behind: owner)
    }

    private func parent(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return "/" }
        return String(path[..<slash])
    }
}

extension VaultError {
    /// What is not safe to trust.
    package init(_ problem: PermissionProblem) {
        var facts: [Fact: String] = [.path: problem.path]
        switch problem.found {
        case .notADirectory: facts[.found] = "not_a_directory"
        case .notARegularFile: facts[.found] = "not_a_regular_file"
        case .symbolicLink: facts[.found] = "symbolic_link"
        case .owner(let owner, let wanted):
            facts[.found] = "owner \(owner)"
            facts[.wanted] = "owner \(wanted)"
        case .mode(let mode, let wanted):
            facts[.found] = "mode \(String(mode, radix: 8))"
            facts[.wanted] = "mode \(String(wanted, radix: 8))"
        case .hardLinks(let count): facts[.found] = "\(count) names"
        case .parentWritable(let mode):
            facts[.found] = "parent mode \(String(mode, radix: 8))"
        case .parentOwner(let owner):
            facts[.found] = "owner \(owner)"
            facts[.wanted] = "owner 0"
        }
        self.init(.unsafePermissions, facts: facts)
    }
}
