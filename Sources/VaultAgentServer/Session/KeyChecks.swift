internal import VaultKit
internal import VaultStore

/// Whether the agent has the keys of its vault's file, and why not.
extension AgentVault {
    /// Why somebody or something locks it; a `reason` of errors and of the log.
    enum Reason: String {
        case asked
        case time
        case ending
    }

    /// Why it is locked; nil when it is not.
    var lockReason: String? {
        do {
            _ = try session()
            return nil
        } catch {
            return error.facts[.reason] ?? Reason.asked.rawValue
        }
    }

    /// Locks itself if an error was one of keys that are not the file's any more.
    ///
    /// It may be about a secret that somebody gave, or from before another unlock: the file is asked.
    func notice(_ error: any Error) async {
        if (error as? VaultError)?.code == .locked { await checkKeys() }
    }

    /// Looks whether the keys are still those of the file, and locks itself if nothing here opens
    /// the new ones: then it could not renew anything, whatever its status said.
    func checkKeys() async {
        guard let session = try? session() else { return }
        do {
            _ = try await session.vault.currentAccount()
        } catch let error as VaultError where error.code == .locked {
            try? await lock(saying: VaultError(.locked, facts: error.facts))
        } catch {
            // Whoever asks next is told.
        }
    }
}
