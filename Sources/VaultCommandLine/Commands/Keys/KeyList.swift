internal import FoundationEssentials
internal import Platform
internal import VaultAgentClient
internal import VaultCrypto
internal import VaultKit
internal import VaultStore

/// `vault key list`.
struct KeyList: KeySubcommand {
    private let isJSON: Bool

    init(_ arguments: inout ArgumentReader) throws {
        isJSON = try arguments.flag("--json")
    }

    func run(on file: VaultFile, in context: CommandContext) throws {
        let slots = try file.keySlots()
        guard !isJSON else {
            return try context.terminal.data(
                json: KeySlotListDocument(slots: slots.map { KeySlotDocument($0) })
            )
        }
        let now = context.clock.now().wall
        var table = Table(header: ["SLOT", "KIND", "CHANGED", "DETAILS"])
        for slot in slots {
            table.add([
                "\(slot.number)", slot.kind.name.replacing("_", with: " "),
                TimeText.distance(to: slot.changed, from: now), Self.details(of: slot),
            ])
        }
        try context.terminal.data(table.text)
    }

    private static func details(of slot: KeySlotDescription) -> String {
        switch slot.kind {
        case .passphrase: "Argon2id, \(slot.cost.passes) × \(slot.cost.memory >> 20) MiB"
        case .keyFile: Printable.escaped(slot.keyFile ?? "")
        case .recoveryKey: ""
        }
    }
}

/// Every key slot, as `vault key list --json` gives them.
struct KeySlotListDocument: Encodable {
    let schemaVersion = WireJSON.schemaVersion
    let slots: [KeySlotDocument]
}

/// A key slot in a list.
struct KeySlotDocument: Encodable {
    private let slot: KeySlotDescription

    init(_ slot: KeySlotDescription) {
        self.slot = slot
    }

    private enum CodingKeys: String, CodingKey {
        case number
        case kind
        case keyFile
        case passes
        case memory
        case changedAt
    }

    // What is unknown is null, not missing.
    func encode(to encoder: any Encoder) throws {
        let isPassphrase = slot.kind == .passphrase
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(slot.number, forKey: .number)
        try container.encode(slot.kind.name, forKey: .kind)
        try container.encode(slot.keyFile, forKey: .keyFile)
        try container.encode(isPassphrase ? slot.cost.passes : nil, forKey: .passes)
        try container.encode(isPassphrase ? slot.cost.memory : nil, forKey: .memory)
        try container.encode(slot.changed, forKey: .changedAt)
    }
}
