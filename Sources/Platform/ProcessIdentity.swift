internal import Glibc

/// This process.
package enum ProcessIdentity {
    /// Its number.
    package static var current: Int32 { getpid() }
}
