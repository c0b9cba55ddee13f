internal import FoundationEssentials
internal import Platform
internal import VaultAgentClient
internal import VaultKit
internal import VaultStore

/// Looks at everything once and changes nothing; what cannot be looked at is a finding too.
struct Examination {
    private let context: CommandContext
    private let location: VaultLocation
    private let survey: VaultSurvey
    private let now: Date

    init(_ context: CommandContext) {
        self.context = context
        location = context.location
        survey = VaultSurvey(location)
        now = context.clock.now().wall
    }

    /// Everything there is to say, in the order of what depends on what.
    func findings() -> [Finding] {
        var texts: Set<String> = []
        // Opening the vault says once more what is wrong with its files.
        return (files() + programs()).filter { texts.insert($0.check + $0.text).inserted }
    }

    /// Runs a check; that it cannot be made is a problem.
    private func look(_ check: String, _ body: () throws -> [Finding]) -> [Finding] {
        do {
            return try body()
        } catch {
            return [.problem(check, error)]
        }
    }

    // MARK: - Outside the vault

    private func files() -> [Finding] {
        guard FileSystem.exists(location.database) else {
            return [.problem("vault", StoreError.noVault(path: location.directory))]
        }
        let space = look("space") {
            FileChecks.space(
                free: try FileSystem.freeSpace(at: location.directory),
                reserve: try? FileSystem.status(of: location.reserve).size
            )
        }
        let memory = KeyChecks.memory(isLocked: MemoryLock.isWorking)
        return [.ok("vault", "the vault is in \(location.directory)")]
            + FileChecks.permissions(survey.permissionErrors()) + space
            + [FileChecks.journal(isHot: survey.hasHotJournal()), memory] + configuration()
            + opened()
    }

    /// An agent does not start on a wrong one, and one that runs goes on with what it had.
    private func configuration() -> [Finding] {
        guard FileSystem.exists(location.configuration) else { return [] }
        return look("config") {
            _ = try VaultConfiguration.read(location)
            return [.ok("config", "config.json says what can be done")]
        }
    }

    private func opened() -> [Finding] {
        do {
            try VaultFile.checkFiles(of: location)
            let version = try survey.formatVersion()
            let format = FileChecks.format(version, newest: VaultSurvey.newestFormat)
            // Opening it would bring it up to date.
            guard version == VaultSurvey.newestFormat else {
                return [format] + agent(hasWork: false)
            }
            return [format] + inside(try VaultFile(location))
        } catch {
            return [.problem("vault", error)] + agent(hasWork: false)
        }
    }

    private func programs() -> [Finding] {
        look("programs") {
            let own = try Spawning.currentExecutable()
            let first = AgentChecks.firstInPath(Environment["PATH"] ?? "") {
                FileSystem.isProgram($0)
            }
            return AgentChecks.programs(
                own: own,
                hasAgentBeside: (try? AgentLauncher.program()) != nil,
                first: try first.map { try FileSystem.resolved($0) }
            )
        }
    }

    private func agent(hasWork: Bool) -> [Finding] {
        look("agent") {
            let isThere = FileSystem.exists(location.lock)
            let lock = isThere ? try FileLock(path: location.lock) : nil
            return AgentChecks.agent(
                AgentChecks.Facts(
                    agent: try context.agent.status(),
                    isLockHeld: try lock?.isHeldElsewhere(.agent) ?? false,
                    isMaintained: try lock?.isHeldElsewhere(.maintenance) ?? false,
                    hasWork: hasWork
                )
            )
        }
    }

    // MARK: - Inside

    private func inside(_ file: VaultFile) -> [Finding] {
        // First, because a slot that opens leaves the vault unlocked for what comes.
        let keys = keys(of: file)
        return clock(file) + keys + look("records") { [AccountChecks.records(try file.verify())] }
            + look("accounts") { try accounts(of: file) }
            + agent(hasWork: (try? file.nextDue()) != nil) + backups(file)
    }

    private func clock(_ file: VaultFile) -> [Finding] {
        look("clock") {
            [
                FileChecks.clock(
                    now: now,
                    newest: try file.newestTime(),
                    fileModified: try? FileSystem.modified(location.database)
                )
            ]
        }
    }

    private func backups(_ file: VaultFile) -> [Finding] {
        look("backups") {
            let backups = try BackupFolder(location).all()
            return [
                FileChecks.backups(
                    newest: backups.compactMap { try? FileSystem.modified($0) }.max(),
                    now: now,
                    hasAccounts: try file.accountCount() > 0
                )
            ]
        }
    }

    private func keys(of file: VaultFile) -> [Finding] {
        let slots = look("keys") {
            KeyChecks.slots(
                try file.keySlots().map { Self.look(at: $0, of: file) },
                directory: location.directory
            )
        }
        guard file.isUnlocked else { return slots }
        return slots
            + look("rotation") {
                [KeyChecks.rotation(isUnfinished: try file.hasUnfinishedRotation())]
            }
    }

    /// Tries a slot with its key file; one that opens leaves the vault unlocked for what comes.
    private static func look(at slot: KeySlotDescription, of file: VaultFile) -> KeyChecks.Slot {
        let state: KeyChecks.State
        if slot.kind != .keyFile {
            state = .typed
        } else {
            do {
                try file.unlock(with: slot.keyFile.map { .keyFileAt(path: $0) } ?? .keyFile)
                state = .opens
            } catch StoreError.locked(.keyFileMissing) {
                state = .missing
            } catch StoreError.locked {
                state = .wrong
            } catch {
                let report = ErrorReport(error)
                state = .refused(line: report.line, hint: report.hint)
            }
        }
        return KeyChecks.Slot(
            number: slot.number,
            kind: slot.kind,
            keyFile: slot.keyFile,
            state: state
        )
    }

    /// The accounts as a running agent has them, which knows what is not saved yet, else as the
    /// file has them.
    private func accounts(of file: VaultFile) throws -> [Finding] {
        let renewability = file.isUnlocked ? try file.renewability() : [:]
        let document = try? context.agent.callUnlocked(
            "GET",
            "/v1/accounts",
            as: AccountStatusListDocument.self
        )
        if let accounts = document?.accounts {
            let patients = accounts.map { account in
                AccountChecks.Patient(
                    name: account.account.name,
                    state: AccountState(rawValue: account.account.state) ?? .active,
                    isRenewable: renewability[account.account.name]
                )
            }
            return AccountChecks.accounts(patients, isVerified: true)
        }
        return AccountChecks.accounts(
            try patients(of: file, renewability),
            isVerified: file.isUnlocked
        )
    }

    private func patients(
        of file: VaultFile,
        _ renewability: [String: Bool]
    ) throws -> [AccountChecks.Patient] {
        var patients: [AccountChecks.Patient] = []
        var last: String?
        repeat {
            let page = try file.hints(after: last, limit: 256)
            last = page.count < 256 ? nil : page.last?.name
            patients += page.map { hint in
                let name = AccountName(hint.name)
                let account = file.isUnlocked ? name.flatMap { try? file.account(named: $0) } : nil
                return AccountChecks.Patient(
                    name: hint.name,
                    state: account?.health.state ?? hint.state,
                    isRenewable: renewability[hint.name]
                )
            }
        } while last != nil
        return patients
    }
}
