internal import VaultCrypto
internal import VaultStore

/// Checks of what opens the vault.
enum KeyChecks {
    /// A key slot, and what became of its key file.
    struct Slot: Sendable {
        let number: UInt16
        let kind: KeySlot.Kind
        let keyFile: String?
        let state: State
    }

    /// Whether a slot opens from here.
    enum State: Sendable, Equatable {
        case opens
        /// Somebody has to type it.
        case typed
        case missing
        case wrong
        /// The file is not safe to use, in the words for that.
        case refused(line: String, hint: String?)
    }

    static func slots(_ slots: [Slot], directory: String) -> [Finding] {
        guard !slots.isEmpty else {
            return [
                .problem("keys", "the vault has no key slot", hint: "vault restore FILE", .damaged)
            ]
        }
        let problems = slots.flatMap { findings(on: $0, directory: directory) }
        return problems + [summary(slots)] + lastWayIn(slots)
    }

    private static func findings(on slot: Slot, directory: String) -> [Finding] {
        let path = slot.keyFile ?? "?"
        let mend = "put it back, or vault key change \(slot.number) makes another"
        var findings: [Finding] = []
        switch slot.state {
        case .opens, .typed: break
        case .missing:
            findings.append(
                .warning("keys", "slot \(slot.number): its key file \(path) is missing", hint: mend)
            )
        case .wrong:
            findings.append(
                .problem("keys", "slot \(slot.number): \(path) does not open it", hint: mend)
            )
        case .refused(let line, let hint):
            findings.append(.problem("keys", line, hint: hint, .unsafePermissions))
        }
        if path.hasPrefix(directory + "/"), slot.state == .opens {
            findings.append(
                .problem(
                    "keys",
                    "slot \(slot.number): its key file lies inside the vault's directory: "
                        + "every copy of that opens itself",
                    hint: "vault key change \(slot.number) PATH puts one elsewhere"
                )
            )
        }
        return findings
    }

    private static func summary(_ slots: [Slot]) -> Finding {
        let opening = slots.filter { $0.state == .opens }.map { "\($0.number)" }
        if !opening.isEmpty {
            let list = opening.joined(separator: ", ")
            return .ok("keys", "opens by itself, with key slot \(list) of \(slots.count)")
        }
        guard slots.contains(where: { $0.state == .typed }) else {
            return .problem("keys", "no key slot opens from here", hint: "put a key file back")
        }
        return .ok("keys", "opens with a passphrase or recovery key")
    }

    /// What a single lost file or forgotten word would cost.
    private static func lastWayIn(_ slots: [Slot]) -> [Finding] {
        let usable = slots.filter { [.opens, .typed].contains($0.state) }
        guard usable.count == 1, usable[0].kind != .recoveryKey else { return [] }
        return [
            .warning(
                "keys",
                "there is one way in: lost, it takes every account along",
                hint: "vault key add recovery-key adds one to write down"
            )
        ]
    }

    static func rotation(isUnfinished: Bool) -> Finding {
        isUnfinished
            ? .warning(
                "rotation",
                "new keys were begun to be given out, and not all records have them",
                hint: "vault key rotate goes on"
            )
            : .ok("rotation", "every record has the newest keys")
    }

    static func memory(isLocked: Bool) -> Finding {
        isLocked
            ? .ok("memory", "keys stay out of the swap")
            : .warning(
                "memory",
                "the system locks no memory for this user: keys may reach the swap",
                hint: "raise the limit (ulimit -l), or encrypt the swap"
            )
    }
}
