internal import Glibc

/// The environment variables of this process.
package enum Environment {
    /// A variable that is set to something.
    package static subscript(name: String) -> String? {
        guard let value = getenv(name) else { return nil }
        let text = String(cString: value)
        return text.isEmpty ? nil : text
    }

    /// Takes some variables away, and gives those that were set to something; to be called before
    /// there is another thread.
    package static func take(_ names: [String]) -> [String: String] {
        var taken: [String: String] = [:]
        for name in names {
            taken[name] = self[name]
            unsetenv(name)
        }
        return taken
    }

    /// Takes every variable away but the named ones; to be called before there is another thread.
    package static func keepOnly(_ names: [String]) {
        let kept = names.compactMap { name in getenv(name).map { (name, String(cString: $0)) } }
        clearenv()
        for (name, value) in kept { setenv(name, value, 1) }
    }
}
