/// The numbers that users have in this process's user namespace (user_namespaces(7)).
package enum UserNamespace {
    /// Whether files of the machine's root show as this user's, for want of a number of root's own.
    ///
    /// So it is in sandboxes that map one user alone.
    package static func hidesRoot(behind user: UInt32) -> Bool {
        guard let overflow = text("/proc/sys/kernel/overflowuid"), UInt32(overflow) == user,
            let map = text("/proc/self/uid_map")
        else { return false }
        return !mapsEveryone(map)
    }

    /// Whether a map is that of the machine itself, where every user has the number that is theirs.
    static func mapsEveryone(_ map: String) -> Bool {
        map.split(whereSeparator: \.isWhitespace) == ["0", "0", "4294967295"]
    }

    private static func text(_ path: String) -> String? {
        guard let bytes = try? FileSystem.read(path, limit: 4096) else { return nil }
        let text = String(decoding: bytes, as: UTF8.self)
        return text.hasSuffix("\n") ? String(text.dropLast()) : text
    }
}
