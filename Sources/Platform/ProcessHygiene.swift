internal import CPlatform

/// What every program of the vault does before anything else.
package enum ProcessHygiene {
    /// Resets the fatal signals, forbids core files and debuggers, sets umask 077, ignores SIGPIPE
    /// and SIGXFSZ, takes standard descriptors that were closed.
    ///
    /// Swift's crash reporter prints the memory behind every register to stderr; with the signals
    /// at their defaults it never runs.
    package static func harden() throws(SystemError) {
        try SystemError.check(cplatform_harden())
    }
}
