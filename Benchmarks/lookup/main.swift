import Platform

// What a look-up costs in a vault of many accounts: `lookup fill DIRECTORY ACCOUNTS` makes one, and
// `lookup measure DIRECTORY ACCOUNTS` prints the nanoseconds of a read of the file, of a hit in memory
// on a few accounts and on all, and of a dictionary on as many; then how often a hit asked for memory. `lookup endure DIRECTORY ACCOUNTS` goes on for long
// and prints the bytes that are in memory afterwards beside those before.

let arguments = Array(CommandLine.arguments.dropFirst())
guard arguments.count == 3, let count = Int(arguments[2]), count > 0 else {
    fatalError("usage: lookup fill|measure|endure DIRECTORY ACCOUNTS")
}
let stored = LookupVault(directory: arguments[1])
switch arguments[0] {
case "fill": try stored.fill(count: count)
case "measure":
    let result = try await Measurement(stored, count: count).run()
    print(
        result.uncached,
        result.hits.few,
        result.hits.all,
        result.control.few,
        result.control.all,
        result.allocations
    )
case "endure":
    guard let account = LookupVault.name(0) else { fatalError("there is no such account") }
    let growth = try await Endurance(stored: stored, account: account).run()
    print(growth.lookups, growth.refreshes, growth.opens)
default: fatalError("there is no \(arguments[0])")
}
