internal import Platform

/// Room on the disk that is kept for the day it is full.
///
/// A refreshed pair takes the place of the old one and needs none, but a longer token may, and
/// so does a new account.
enum ReserveFile {
    private static let size: Int64 = 256 * 1024

    /// Makes the file if it is missing; without room for it there is none, which is no error.
    static func keep(of location: VaultLocation) {
        guard !location.isPrivateCopy else { return }
        let path = location.reserve
        let found = try? FileSystem.status(of: path)
        guard found?.size != size else { return }
        // Made by a process that came no further.
        if found?.kind == .regular { try? FileSystem.remove(path) }
        try? FileSystem.allocate(path, size: size)
    }

    /// Gives the room back, and says whether there was any.
    static func release(of location: VaultLocation) -> Bool {
        guard FileSystem.exists(location.reserve) else { return false }
        return (try? FileSystem.remove(location.reserve)) != nil
    }
}
