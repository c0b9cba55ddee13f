internal import FoundationEssentials
internal import Platform
internal import VaultStore

/// Where the ledger of a vault is kept between two lives of the agent.
struct HookProgress: Sendable {
    private static let limit = 1 << 20

    let location: VaultLocation

    /// What was told so far; nothing where that is not known, or of another making than ours.
    func read() -> HookLedger {
        guard (try? FilePermissions.checkFile(location.eventProgress)) != nil,
            let bytes = try? FileSystem.read(location.eventProgress, limit: Self.limit),
            let ledger = try? JSONDecoder().decode(HookLedger.self, from: Data(bytes))
        else { return HookLedger() }
        return ledger
    }

    func write(_ ledger: HookLedger) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        let bytes = Array(try encoder.encode(ledger))
        try FileSystem.replace(location.eventProgress, bytes.span)
    }
}
