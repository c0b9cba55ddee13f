internal import FoundationEssentials
internal import Platform
internal import VaultAgentClient
internal import VaultHTTPServer
internal import VaultKit
internal import VaultStore

/// The agent's HTTP interface: a request in, one call of the service, an answer out.
struct AgentRoutes: Sendable {
    let service: AgentService

    /// The answer to a request, a stream where that is what it asks for.
    func serve(_ request: HTTPServerRequest) async -> HTTPServerAnswer {
        service.touch()
        let answer = await ActivityActor.named(Self.actor(of: request)) {
            await self.answer(request)
        }
        switch answer {
        case .response(let response): service.metrics.noteAnswer(response.status)
        case .stream(let stream): service.metrics.noteAnswer(stream.status)
        case .raw, .drop: break
        }
        return answer
    }

    /// Whose work it is, in the log of what was done.
    private static func actor(of request: HTTPServerRequest) -> String {
        request.process.map { "\(ownName) for \($0)" } ?? ownName
    }

    private static let ownName = "\(ProcessIdentity.name) \(ProcessIdentity.current)"

    private func answer(_ request: HTTPServerRequest) async -> HTTPServerAnswer {
        do {
            let route = try request.route()
            guard route != .events else { return .stream(try events(request)) }
            return .response(try await dispatch(route, request))
        } catch let refusal as Refusal {
            return .response(refusal.response)
        } catch {
            await service.vault.notice(error)
            return .response(Self.failure(VaultError(error)))
        }
    }

    private func dispatch(
        _ route: Route,
        _ request: HTTPServerRequest
    ) async throws -> HTTPServerResponse {
        switch route {
        case .status: return try Self.json(agentStatus)
        case .stop: return try stop()
        case .unlock: return try await unlock(request)
        case .lock: return try await lock(request)
        case .listAccounts: return try await listAccounts(request)
        case .addAccount: return try await addAccount(request)
        case .account(let name): return try await showAccount(name)
        case .currentAccount: return try await currentAccount()
        case .removeAccount(let name): return try await removeAccount(name)
        case .token(let name): return try await token(of: name, request)
        case .refresh(let name): return try await refresh(name, request)
        case .select(let name): return try await select(name)
        case .changeTags(let name): return try await changeTags(of: name, request)
        case .setRenewal(let name): return try await setRenewal(of: name, request)
        case .rename(let name): return try await rename(name, request)
        case .signOut(let name): return try await signOut(of: name, request)
        case .compareEndpoints(let name): return try await compareEndpoints(of: name)
        case .pinEndpoints(let name): return try await pinEndpoints(of: name, request)
        case .listClients: return try await listClients()
        case .setClientSecret: return try await setClientSecret(request)
        case .beginSignIn: return try await beginSignIn(request)
        case .signIn(let id): return try await signIn(id, request)
        case .cancelSignIn(let id):
            try service.vault.signIns().cancel(id)
            return Self.done
        case .giveRedirect(let id): return try await giveRedirect(id, request)
        case .log: return try await log(request)
        case .description: return Self.description
        case .metrics: return await metrics()
        case .events: throw Refusal(404, field: "path")
        }
    }

    /// Goes once what is in flight is stored.
    ///
    /// A pair that the store does not take now may be in the way of that for ever: whoever asks is
    /// told instead. A signal still ends the agent.
    private func stop() throws -> HTTPServerResponse {
        if let account = service.vault.unsavedAccounts.first {
            throw VaultError(.notSaved, account: account)
        }
        service.requestStop("asked")
        return Self.done
    }

    // MARK: - Answers

    static func json(_ document: some Encodable, status: Int = 200) throws -> HTTPServerResponse {
        HTTPServerResponse(
            status: status,
            headers: [
                (name: "Content-Type", value: "application/json"),
                (name: "Cache-Control", value: "no-store"),
            ],
            body: try WireJSON.encode(document)
        )
    }

    static func failure(_ error: VaultError, status: Int? = nil) -> HTTPServerResponse {
        let document = ErrorDocument(ErrorDocument.Failure(error))
        let response = try? json(document, status: status ?? error.status)
        return response ?? HTTPServerResponse(status: 500)
    }

    /// What the server itself refuses.
    @Sendable
    static func refusal(_ status: Int) -> HTTPServerResponse {
        Refusal(status, field: status == 413 ? "body" : "header").response
    }

    static var done: HTTPServerResponse { HTTPServerResponse(status: 204) }
}
