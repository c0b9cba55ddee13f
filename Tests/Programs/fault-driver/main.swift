import Glibc
import Platform

// Does one thing to a vault again and again, on this thread alone, and says what is safe by now:
// the program that the harness of Tests/Faults kills, starves and lies to.
do {
    try ProcessHygiene.harden()
    guard let order = Order(Array(CommandLine.arguments.dropFirst())) else {
        Announcement.failed("usage: fault-driver VERB VAULT WORK [COUNT]")
        exit(2)
    }
    switch order.verb {
    case .kit: try await LibraryRefreshes(order).run()
    case .http: try await Orders(order).run()
    default: try Driver(order).run()
    }
} catch {
    Announcement.failed(FaultName.of(error))
    exit(1)
}
