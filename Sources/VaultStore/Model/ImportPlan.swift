internal import VaultCrypto

/// Decides what an import does with each account.
///
/// Pure: what is here comes in, what is to be written goes out.
struct ImportPlan {
    /// What the vault has that concerns one account of the file.
    struct Here {
        /// The account of the same identifier.
        let same: StoredAccount?
        /// Whether the refresh token in the file was spent here.
        let isSpent: Bool
        /// Another account that has this refresh token.
        let holder: AccountName?
        /// Whether another account has the name.
        let isNameTaken: Bool
    }

    /// Where an account goes.
    enum Place {
        case new
        case existing(StoredAccount)
    }

    /// Whether the file hands its accounts over.
    let isMove: Bool
    let isReplacing: Bool
    private(set) var report = ImportReport()
    private(set) var writes: [(account: ExportedAccount, place: Place)] = []
    private var seen: Set<[UInt8]> = []

    init(isMove: Bool, isReplacing: Bool) {
        self.isMove = isMove
        self.isReplacing = isReplacing
    }

    /// Decides on the next account; `hash` is that of its refresh token.
    mutating func decide(on account: ExportedAccount, hash: [UInt8]?, _ here: Here) {
        let outcome = outcome(for: account, hash: hash, here)
        report.entries.append(ImportReport.Entry(name: account.name, outcome: outcome))
        switch outcome {
        case .added: writes.append((account, .new))
        case .movedBack, .replaced:
            if let same = here.same { writes.append((account, .existing(same))) }
        case .skipped, .refused: break
        }
    }

    private mutating func outcome(
        for account: ExportedAccount,
        hash: [UInt8]?,
        _ here: Here
    ) -> ImportReport.Outcome {
        // Tagged, so that none is taken for one of another kind.
        let marks =
            [[0] + account.id.bytes, [1] + account.name.text.utf8] + (hash.map { [[2] + $0] } ?? [])
        guard marks.allSatisfy({ seen.insert($0).inserted }) else { return .refused(.repeated) }
        if let same = here.same { return outcome(for: account, over: same, here) }
        if here.isSpent { return .refused(.spent) }
        if let holder = here.holder { return .refused(.grantStored(in: holder)) }
        return here.isNameTaken ? .refused(.nameTaken) : .added
    }

    /// The account is here already: the later pair stays, and is never rolled back.
    private func outcome(
        for account: ExportedAccount,
        over same: StoredAccount,
        _ here: Here
    ) -> ImportReport.Outcome {
        if here.isSpent { return .skipped(.spent) }
        guard account.generation >= same.generation else { return .skipped(.newer) }
        let isMovedAway = same.tokens.hold?.reason == .moved
        let isUsable = isMovedAway && account.tokens.hold?.reason != .moved
        // A copy from before the move says nothing of who has the account now.
        let isNews = isMove || isReplacing || account.generation > same.generation
        guard !isUsable || isNews else { return .skipped(.movedAway) }
        let isMovedBack = isUsable && isNews
        guard isMovedBack || account.generation > same.generation else { return .skipped(.same) }
        if let holder = here.holder { return .refused(.grantStored(in: holder)) }
        guard !isMovedBack else { return .movedBack }
        // What waits for a person here spends nothing.
        guard isReplacing || same.health.state.wantsPerson else { return .refused(.twoOwners) }
        return .replaced
    }
}
