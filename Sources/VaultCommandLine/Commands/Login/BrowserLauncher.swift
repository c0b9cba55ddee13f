internal import Platform

/// Opens an address in the person's browser.
enum BrowserLauncher {
    private static let openers = ["/usr/bin/xdg-open", "/usr/local/bin/xdg-open"]

    /// Hands the address to a fixed program as one argument, with no shell in between; false when
    /// there is no desktop or no such program.
    static func open(_ address: String) -> Bool {
        guard Environment["DISPLAY"] != nil || Environment["WAYLAND_DISPLAY"] != nil,
            let opener = openers.first(where: { FileSystem.exists($0) })
        else { return false }
        return (try? Spawning.attached(opener, arguments: [address])) != nil
    }
}
