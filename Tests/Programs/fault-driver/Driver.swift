import FoundationEssentials
import Platform
import VaultStore

/// The verbs that the store has, one after the other on this thread: `strace` counts by thread.
struct Driver {
    let order: Order
    let server: AuthorizationServer
    let clock = SystemClock()

    init(_ order: Order) {
        self.order = order
        server = AuthorizationServer(path: order.ledger)
    }

    func run() throws {
        switch order.verb {
        case .create: try create()
        case .add: try withOpenVault(add)
        case .refresh: try withOpenVault(refresh)
        case .switch: try withOpenVault(switchOver)
        case .rotate: try withOpenVault(rotate)
        case .rekey: try withOpenVault(rekey)
        case .backup: try withOpenVault(backUp)
        case .restore: try restore()
        case .migrate: try migrate()
        case .check: try Check(order).run()
        case .kit, .http: break
        }
    }

    /// Opens the vault as any program does, and leaves it open for as long as `body` goes on.
    private func withOpenVault(_ body: (VaultFile) throws -> Void) throws {
        Announcement.step("open")
        let file = try VaultFile(order.location)
        try file.unlock(with: .keyFileAt(path: order.keyFile))
        try body(file)
        Announcement.step("end")
    }

    /// A vault of `count` accounts.
    private func create() throws {
        _ = try VaultFile.create(order.location, keyFile: order.keyFile, now: Date())
        try withOpenVault(add)
    }

    private func add(to file: VaultFile) throws {
        for _ in 0..<order.count {
            Announcement.step("sign-in")
            let count = try file.rereading { try $0.accountCount() }
            guard let name = AccountName("a\(count + 1)") else { return }
            let serial = try server.signIn(name.text)
            Announcement.step("insert")
            let account = try file.insert(Pairs.account(name, serial, at: clock.now()))
            Announcement.saved(name.text, generation: account.generation, serial: serial)
        }
    }

    /// Moves the selection on by one account, again and again.
    private func switchOver(_ file: VaultFile) throws {
        let (accounts, selected) = try file.rereading { file in
            (try file.accounts(after: nil, limit: 1000), try file.selectedAccount())
        }
        guard var index = accounts.firstIndex(where: { $0.id == selected }) else { return }
        for _ in 0..<order.count {
            index = (index + 1) % accounts.count
            Announcement.step("select")
            try file.select(accounts[index].name)
            Announcement.saved(accounts[index].name.text, generation: 0, serial: 0)
        }
    }

    /// Refreshes the accounts in turn.
    private func refresh(_ file: VaultFile) throws {
        let names = try file.rereading { try $0.accounts(after: nil, limit: 1000).map(\.name) }
        let locks = try FileLock(path: order.location.lock)
        let refresh = Refresh(file: file, locks: locks, server: server, clock: clock)
        for number in 0..<order.count where !names.isEmpty {
            if order.isStopped { return }
            try refresh.run(names[number % names.count])
        }
    }
}
