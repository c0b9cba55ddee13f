import Platform
import VaultStore

/// One refresh by the steps of the protocol, each announced.
struct Refresh {
    let file: VaultFile
    let locks: FileLock
    let server: AuthorizationServer
    let clock: SystemClock

    func run(_ name: AccountName) throws {
        Announcement.step("lock")
        let range = try take(file.rereading { try $0.account(named: name).number })
        defer { locks.unlock(range) }
        Announcement.step("read")
        let account = try file.rereading { try $0.account(named: name) }
        guard let token = account.tokens.refreshToken, let serial = Pairs.serial(of: account.tokens)
        else { return }
        // Its refresh token may be spent, and at this server nobody may find out by trying.
        guard account.intent == nil, account.tokens.hold == nil else { return try signIn(account) }
        Announcement.step("claim")
        let hash = try file.rereading { try $0.spentTokenHash(of: token) }
        let intent = Intent(refreshTokenHash: hash, claimed: clock.now(), attempt: 1)
        let claim = try file.claim(account, intent: intent)
        Announcement.step("send")
        let issued = try server.refresh(name.text, presenting: serial)
        Announcement.step("install")
        let pair = Pairs.pair(name.text, issued, spent: hash, at: clock.now())
        guard case .installed(let generation) = try file.install(pair, for: claim) else { return }
        Announcement.saved(name.text, generation: generation, serial: issued)
    }

    /// A new grant for the account, as a person would get it one.
    private func signIn(_ account: StoredAccount) throws {
        Announcement.step("sign-in")
        let serial = try server.signIn(account.name.text)
        Announcement.step("replace")
        let new = try Pairs.account(account.name, serial, at: clock.now())
        let stored = try file.replace(account, with: new)
        Announcement.saved(account.name.text, generation: stored.generation, serial: serial)
    }

    private func take(_ number: Int64) throws -> FileLock.Range {
        let range = FileLock.Range.account(number)
        while true {
            if try !locks.isHeldElsewhere(.maintenance), try locks.tryLock(range) { return range }
            Pause.milliseconds(5)
        }
    }
}
