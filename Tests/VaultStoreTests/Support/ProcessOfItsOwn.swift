internal import Glibc

/// Makes this process nobody's for good where it is root's: to root every permission check passes.
func becomeUnprivileged() {
    guard geteuid() == 0 else { return }
    // Root's own place for temporary files may be closed to others; the common one is not.
    unsetenv("TMPDIR")
    guard setgroups(0, nil) == 0, setgid(65_534) == 0, setuid(65_534) == 0 else { exit(99) }
}

/// Ends this process at the first write that makes a file longer, as a kill at that point would.
func dieWhenAFileGrows(past limit: UInt) {
    // The threads that tests run on let no signal through.
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGXFSZ)
    pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    signal(SIGXFSZ, SIG_DFL)
    var none = rlimit(rlim_cur: 0, rlim_max: 0)
    var size = rlimit(rlim_cur: limit, rlim_max: limit)
    guard
        setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none) == 0,
        setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &size) == 0
    else { exit(99) }
}

/// Runs `body` while no file of this process grows past `limit`: writes there fail as on a full
/// disk, by another error.
func withFileSizeLimit(_ limit: UInt, _ body: () throws -> Void) throws {
    let resource = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
    var before = rlimit()
    getrlimit(resource, &before)
    var small = rlimit(rlim_cur: limit, rlim_max: before.rlim_max)
    guard setrlimit(resource, &small) == 0 else { exit(99) }
    defer { setrlimit(resource, &before) }
    try body()
}
