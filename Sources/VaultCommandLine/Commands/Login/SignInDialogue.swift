internal import Platform
internal import VaultAgentClient
internal import VaultCrypto
internal import VaultKit

/// The command's side of a sign-in, from its beginning at the agent to its end.
///
/// Signals take their effect only after the sign-in was cancelled at the agent: whoever goes leaves
/// nothing behind.
struct SignInDialogue {
    let context: CommandContext
    /// Whether somebody said that the browser is elsewhere.
    let isElsewhere: Bool
    private let ear: SignInEar

    init(_ context: CommandContext, isElsewhere: Bool) throws {
        self.context = context
        self.isElsewhere = isElsewhere
        ear = try SignInEar()
    }

    /// Begins a sign-in and sees it through.
    ///
    /// - Parameter document: What to begin with, given the client that somebody typed and the redirect
    ///   address it was registered with.
    /// - Returns: How it ended; nil when a signal ended it, which has had its effect by then.
    /// - Throws: What keeps it from beginning, or from being asked about.
    func run(
        _ document: (_ registered: RegisteredByHand?) throws -> BeginSignInDocument
    ) throws -> SignInDocument? {
        defer { ear.end() }
        guard let signIn = try begin(document) else { return nil }
        guard !ear.isTold else { return cancel(signIn) }
        SignInServerWords.show(signIn.server, context.terminal)
        let screen = SignInScreen(signIn, context)
        let isOpened = screen.begin(opensBrowser: !isElsewhere && signIn.flow != "paste")
        if signIn.authorizationURL != nil, !isOpened || signIn.takesCode ?? false {
            let isAwaited = isElsewhere || signIn.flow == "paste"
            ear.listen(isAwaited: isAwaited) { screen.ask() }
        }
        return try follow(signIn, screen)
    }

    // MARK: - The beginning

    private func begin(
        _ document: (_ registered: RegisteredByHand?) throws -> BeginSignInDocument
    ) throws -> SignInDocument? {
        var registered: RegisteredByHand?
        while true {
            do {
                return try ear.called(context.agent, isBeginning: true).call(
                    "POST",
                    "/v1/sign-ins",
                    body: WireJSON.encode(document(registered)),
                    as: SignInDocument.self
                )
            } catch AgentConnection.Failure.broken(SystemError.interrupted) {
                // It did not answer in time: it gives up by itself what nobody asks about.
                return nil
            } catch let error as VaultError where error.facts[.reason] == "missing" {
                // Only the agent knows what the account was signed in with before.
                guard error.facts[.field] == "client_id" else {
                    throw UsageError.missing("--issuer URL")
                }
                guard registered == nil else { throw error }
                ear.end()
                registered = try RegisteredByHand.ask(error, context.terminal)
                try ear.begin()
            } catch let error as VaultError where error.facts[.reason] == "no_credentials" {
                let isSecret = error.facts[.field] == "client_secret"
                throw UsageError.missing(isSecret ? "--client-secret-fd N" : "--client-id ID")
            }
        }
    }

    // MARK: - Until the end

    private func follow(_ signIn: SignInDocument, _ screen: SignInScreen) throws -> SignInDocument?
    {
        let agent = ear.called(context.agent) { screen.tick() }
        // Who looks at it is told what is going on.
        let wait = screen.isLive ? 2 : 25
        defer { screen.end() }
        while true {
            do {
                let now = try agent.call(
                    "GET",
                    "/v1/sign-ins/\(signIn.id)?wait=\(wait)",
                    as: SignInDocument.self
                )
                screen.show(now)
                if now.state != .waiting { return now }
            } catch AgentConnection.Failure.broken(SystemError.interrupted) {
                if ear.isTold { return cancel(signIn) }
                if let line = ear.takeLine() { try give(line, signIn, screen) }
            }
        }
    }

    private func cancel(_ signIn: SignInDocument) -> SignInDocument? {
        // Whatever comes of it, the program goes; nobody asks about the sign-in any more then.
        _ = try? context.agent.call("DELETE", "/v1/sign-ins/\(signIn.id)")
        return nil
    }

    /// Hands a pasted address to the agent, which judges it.
    private func give(
        _ line: Secret,
        _ signIn: SignInDocument,
        _ screen: SignInScreen
    ) throws {
        guard !line.isEmpty else {
            // At the end of a pipe nobody is there to paste it; at a terminal it was but a key.
            if ear.isAtTerminal { ear.listen(isAwaited: true) { screen.ask() } }
            return
        }
        do {
            var body = try WireJSON.encode(RedirectDocument(redirect: line.reveal { $0 }))
            defer { Memory.wipe(&body) }
            _ = try context.agent.call("POST", "/v1/sign-ins/\(signIn.id)/redirect", body: body)
        } catch let error as VaultError where error.facts[.field] == "redirect" {
            guard ear.isTerminal else {
                _ = cancel(signIn)
                throw error
            }
            context.terminal.words(ErrorReport(error).line)
            ear.listen(isAwaited: true) { screen.ask() }
        }
    }
}
