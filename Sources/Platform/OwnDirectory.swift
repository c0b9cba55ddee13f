internal import CPlatform
internal import Glibc

/// An open directory that is this user's alone, looked at by its descriptor: whatever its path means
/// a moment later, this is the one that was checked.
package struct OwnDirectory: ~Copyable {
    let descriptor: Int32
    private let path: String

    /// Opens a directory (0700 and ours) without following a link to it.
    package init(_ path: String) throws(SystemError) {
        descriptor = try SystemError.check(cplatform_open_own_directory(path))
        self.path = path
    }

    deinit {
        close(descriptor)
    }

    /// Removes the files of these names, and the directory if nothing else is in it.
    package func remove(files names: [String]) throws(SystemError) {
        for name in names { try SystemError.check(cplatform_remove_in(descriptor, name)) }
        guard rmdir(path) == 0 || errno == ENOENT else { throw SystemError(number: errno) }
    }
}
