internal import Glibc

/// The environment variables of this process.
package enum Environment {
    /// A variable that is set to something.
    package static subscript(name: String) -> String? {
        guard let value = getenv(name) else { return nil }
        let text = String(cString: value)
        return text.isEmpty ? nil : text
    }
}
