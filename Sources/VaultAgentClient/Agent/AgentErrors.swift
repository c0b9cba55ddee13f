internal import OAuth
internal import Platform
package import VaultAccess

extension AgentConnection.Failure {
    /// An agent that was given up because it took longer than allowed.
    static let silent = Self.broken(.tryAgain)
}

extension VaultError {
    /// Why there is no answer of an agent, for a program as for the command.
    package init(agent failure: AgentConnection.Failure, at location: VaultLocation? = nil) {
        var facts: [Fact: String] = [:]
        facts[.path] = location?.socket
        let code: Code
        switch failure {
        case .notRunning: code = .noAgent
        case .foreignPeer(let user):
            code = .unsafePermissions
            facts[.reason] = "foreign_agent"
            facts[.found] = user.map { "\($0)" }
            facts[.wanted] = "\(FileSystem.currentUser)"
        case .broken(let error):
            // Somebody has to do something about the one, and the other may be over the next time.
            code = error == .accessDenied ? .storage : .busy
            // A time-out of a socket is EAGAIN, whose words nobody would understand.
            facts[.reason] = error == .tryAgain ? "agent_silent" : "agent_broken"
            facts[.found] = error == .tryAgain ? nil : error?.description
        case .malformedAnswer:
            // It runs, and what it says is no better the next time.
            code = .storage
            facts[.reason] = "malformed_answer"
        }
        self.init(code, facts: facts)
    }

    /// The same error about the account that a call was about, unless it names one itself.
    func named(_ account: AccountName?) -> VaultError {
        VaultError(code, account: self.account ?? account, facts: facts)
    }
}

extension VaultLocation {
    /// Refuses a directory where others could put a socket of theirs, and one without a vault.
    func checkDirectory() throws(VaultError) {
        do {
            try FilePermissions.checkDirectory(directory)
            _ = try FileSystem.status(of: database)
        } catch let problem as PermissionProblem {
            throw VaultError(problem)
        } catch let error as SystemError where error == .notFound {
            throw VaultError(.noVault, facts: [.path: directory])
        } catch {
            throw VaultError(.storage, facts: [.path: directory, .reason: "\(error)"])
        }
    }
}
