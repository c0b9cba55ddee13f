internal import Platform

/// Opens an address in the person's browser.
enum BrowserLauncher {
    private static let openers = ["/usr/bin/xdg-open", "/usr/local/bin/xdg-open"]

    /// Hands an address to a fixed program as one argument, with no shell in between; false when there
    /// is no desktop or no such program.
    ///
    /// Other users can read that argument (proc(5)): an authorization URL has no business there, and
    /// the agent has a short address that leads to it.
    static func open(_ address: String) -> Bool {
        guard isPlain(address),
            Environment["DISPLAY"] != nil || Environment["WAYLAND_DISPLAY"] != nil,
            let opener = openers.first(where: { FileSystem.exists($0) })
        else { return false }
        return (try? Spawning.attached(opener, arguments: [address])) != nil
    }

    /// Whether it is an http address of letters that mean nothing to a shell: openers are scripts, and
    /// hand on what they are given.
    static func isPlain(_ address: String) -> Bool {
        (address.hasPrefix("http://") || address.hasPrefix("https://"))
            && address.utf8.allSatisfy {
                Character(Unicode.Scalar($0)).isASCII
                    && (Character(Unicode.Scalar($0)).isLetter
                        || Character(Unicode.Scalar($0)).isNumber
                        || "-._~:/?#[]@%=+".utf8.contains($0))
            }
    }
}
