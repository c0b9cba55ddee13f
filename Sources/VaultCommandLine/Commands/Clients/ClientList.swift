internal import FoundationEssentials
internal import Platform
internal import VaultAgentClient
internal import VaultKit
internal import VaultStore

/// `vault client list`.
struct ClientList: ClientSubcommand {
    private let isJSON: Bool

    init(_ arguments: inout ArgumentReader) throws {
        isJSON = try arguments.flag("--json")
    }

    func run(in context: CommandContext) throws {
        let document = try Self.read(in: context)
        if isJSON {
            try context.terminal.data(json: document)
        } else {
            try context.terminal.data(Self.table(document.clients, context.clock.now().wall))
        }
        try AccountOverview.report(damaged: document.damaged, context.terminal)
    }

    /// The clients from the file, else from an agent that is unlocked.
    static func read(in context: CommandContext) throws -> ClientListDocument {
        let file = try VaultFile(context.location)
        do {
            try file.unlock(with: .keyFile)
        } catch let error as StoreError {
            guard case .locked = error else { throw error }
            let document = try context.agent.callUnlocked(
                "GET",
                "/v1/clients",
                as: ClientListDocument.self
            )
            // Without a key nothing can be read of them.
            guard let document else { throw error }
            return document
        }
        let (clients, damaged) = try file.clients(at: context.clock.now())
        return ClientListDocument(clients: clients.map { ClientDocument($0) }, damaged: damaged)
    }

    private static func table(_ clients: [ClientDocument], _ now: Date) -> String {
        guard !clients.isEmpty else { return "" }
        var table = Table(header: [
            "CLIENT", "ACCOUNTS", "STATE", "NEXT TRY", "AUTHENTICATION", "ROTATION",
            "TOKEN ENDPOINT",
        ])
        for client in clients {
            table.add([
                Printable.escaped(client.id), "\(client.accounts)", client.words(now),
                client.nextTry(now), client.authenticationWords, client.rotationWords,
                Printable.escaped(client.tokenEndpoint),
            ])
        }
        return table.text
    }
}

extension ClientDocument {
    /// How it fares, and since when.
    fileprivate func words(_ now: Date) -> String {
        guard let since else { return Printable.escaped(state) }
        return "\(Printable.escaped(state)) since \(TimeText.distance(to: since, from: now))"
    }

    fileprivate func nextTry(_ now: Date) -> String {
        guard let next = [nextTryAt, pausedUntil].compactMap(\.self).max() else { return "" }
        // One that is over waits for an account that has something to ask for.
        return next > now ? TimeText.distance(to: next, from: now) : "when due"
    }

    fileprivate var authenticationWords: String {
        let method = authentication.map { Printable.escaped($0) } ?? "differs"
        return otherSecret ? "\(method), old secret kept" : method
    }

    fileprivate var rotationWords: String {
        let kind = Printable.escaped(rotation)
        return rotationSource.map { "\(kind) (\(Printable.escaped($0)))" } ?? kind
    }
}
