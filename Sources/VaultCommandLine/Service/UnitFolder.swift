internal import FoundationEssentials
internal import Platform
internal import VaultKit
internal import VaultStore

/// Where this user's own units are (systemd.unit(5)), and which of them are ours.
struct UnitFolder: Sendable {
    let path: String

    /// The folder that `XDG_CONFIG_HOME` or `HOME` names; nil without either.
    static func ofUser() -> UnitFolder? {
        if let configuration = Environment["XDG_CONFIG_HOME"], configuration.hasPrefix("/") {
            return UnitFolder(path: configuration + "/systemd/user")
        }
        return Environment["HOME"].map { UnitFolder(path: $0 + "/.config/systemd/user") }
    }

    /// Whether the units are there, written by us.
    func has(_ units: AgentUnits) -> Bool {
        units.files.allSatisfy { isOurs($0.name) }
            // A template is there for every vault that has an instance of it.
            && isEnabled(units.socket)
    }

    /// Writes the files that are not so already; whether there were any.
    ///
    /// - Throws: `VaultError` for a file that somebody else wrote, unless it is to be replaced.
    func write(_ units: AgentUnits, replacing isForced: Bool) throws -> Bool {
        // Before any is written: half of them would be none.
        let changed = try units.files.filter { file in
            let place = "\(path)/\(file.name)"
            guard FileSystem.exists(place) else { return true }
            guard isForced || isOurs(file.name) else {
                throw VaultError(.invalidInput, facts: [.reason: "foreign_unit", .path: place])
            }
            return text(of: file.name) != file.text
        }
        do {
            try FileSystem.makeDirectories(path)
            for file in changed {
                try FileSystem.replace("\(path)/\(file.name)", Array(file.text.utf8).span)
            }
        } catch {
            throw StoreError.file(path: path, error)
        }
        return !changed.isEmpty
    }

    /// Removes the units' links and, unless another vault has an instance of them, their files; what
    /// somebody else wrote stays.
    func remove(_ units: AgentUnits) throws -> Bool {
        var isChanged = false
        do {
            for (unit, target) in links(units) where FileSystem.exists("\(target)/\(unit)") {
                guard try FileSystem.status(of: "\(target)/\(unit)").kind == .symbolicLink else {
                    continue
                }
                try FileSystem.remove("\(target)/\(unit)")
                isChanged = true
            }
            for file in units.files where isOurs(file.name) && !isUsed(file.name) {
                try FileSystem.remove("\(path)/\(file.name)")
                isChanged = true
            }
        } catch {
            throw StoreError.file(path: path, error)
        }
        return isChanged
    }

    private func isOurs(_ name: String) -> Bool {
        text(of: name)?.hasPrefix(AgentUnits.marker + "\n") ?? false
    }

    private func text(of name: String) -> String? {
        guard let file = try? OpenFile(reading: "\(path)/\(name)", followingLinks: false),
            file.status.kind == .regular, let bytes = try? file.read(limit: 64 << 10)
        else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Where `systemctl enable` puts its links.
    private func links(_ units: AgentUnits) -> [(unit: String, target: String)] {
        [
            (units.service, path + "/default.target.wants"),
            (units.socket, path + "/sockets.target.wants"),
        ]
    }

    private func isEnabled(_ socket: String) -> Bool {
        FileSystem.exists("\(path)/sockets.target.wants/\(socket)")
    }

    /// Whether a template has instances.
    private func isUsed(_ name: String) -> Bool {
        guard let at = name.firstIndex(of: "@") else { return false }
        let prefix = name[...at]
        return ["default.target.wants", "sockets.target.wants"].contains { target in
            let names = (try? FileSystem.entries(of: "\(path)/\(target)")) ?? []
            return names.contains { $0.hasPrefix(prefix) }
        }
    }
}
