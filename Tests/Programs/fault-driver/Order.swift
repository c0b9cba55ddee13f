import Platform
import VaultStore

/// What the driver is told to do, and where.
struct Order {
    enum Verb: String, CaseIterable {
        case create = "init"
        case add, refresh, `switch`
        /// Refreshes through VaultKit.
        case kit
        /// Refreshes through VaultKit over HTTP, as standard input says.
        case http
        case rotate, rekey, backup, restore, migrate
        case check
    }

    let verb: Verb
    let location: VaultLocation
    /// Key file, the server's ledger and backups: what is not on the disk that fails.
    let work: String
    let count: Int

    init?(_ words: [String]) {
        guard words.count == 3 || words.count == 4, let verb = Verb(rawValue: words[0]),
            let count = words.count == 4 ? Int(words[3]) : 1
        else { return nil }
        self.verb = verb
        location = VaultLocation(directory: words[1])
        work = words[2]
        self.count = count
    }

    var keyFile: String { "\(work)/vault.key" }
    var ledger: String { "\(work)/ledger" }
    /// What `restore` restores.
    var copy: String { backup(0) }

    func backup(_ number: Int) -> String { "\(work)/backup-\(number).db" }
    /// Loops end once this is there: a kill would leave the last refresh half done.
    var isStopped: Bool { FileSystem.exists("\(work)/stop") }
}
