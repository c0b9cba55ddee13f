import FoundationEssentials
import OAuth
import Platform
import VaultCrypto
import VaultKit
import VaultStore

/// Refreshes through VaultKit: what its callers are given counts as saved.
struct LibraryRefreshes {
    private let order: Order
    private let server: AuthorizationServer

    init(_ order: Order) {
        self.order = order
        server = AuthorizationServer(path: order.ledger)
    }

    func run() async throws {
        Announcement.step("open")
        let vault = try await Vault.open(
            order.location,
            unlock: .keyFileAt(path: order.keyFile),
            transport: LedgerTransport(server: server),
            clock: SystemClock(),
            faults: FaultPoints { place in Announcement.step(place.rawValue) },
            // Each refresh follows on the heels of the one before.
            settlingTime: 0
        )
        let names = try await vault.accounts().map(\.name)
        var seen: [AccountName: UInt64] = [:]
        for number in 0..<order.count where !names.isEmpty {
            if order.isStopped { break }
            let name = names[number % names.count]
            seen[name] = try await refresh(name, newerThan: seen[name], in: vault)
        }
        Announcement.step("end")
        await vault.close()
    }

    /// A token that is newer than the last one, as a program asks for whose token was rejected, and
    /// its generation: a refresh, unless another process was faster.
    ///
    /// `Vault.refresh` would be a person's word, also for a refresh token that may be spent.
    private func refresh(
        _ name: AccountName,
        newerThan seen: UInt64?,
        in vault: Vault
    ) async throws -> UInt64? {
        Announcement.step("ask")
        do {
            let token = try await vault.accessToken(for: name, newerThan: seen)
            let serial = token.value.reveal { $0.split(separator: "-").last.flatMap { Int($0) } }
            Announcement.saved(name.text, generation: token.generation, serial: serial ?? 0)
            return token.generation
        } catch let error as VaultError where error.code == .verifyBeforeUse {
            // It came back with an old copy: a person has to say what becomes of it.
            Announcement.step("held")
            return nil
        } catch let error as VaultError where error.code == .busy {
            // Somebody works on the whole vault for longer than a caller waits.
            Announcement.step("busy")
            return nil
        }
    }
}

/// Carries token requests to the server in the file.
private struct LedgerTransport: HTTPTransport {
    let server: AuthorizationServer

    func send(_ request: HTTPRequest) async throws(HTTPTransportError) -> HTTPResponse {
        guard let (name, serial) = presented(request) else {
            throw .notSent(.refused)
        }
        do {
            let issued = try server.refresh(name, presenting: serial)
            return HTTPResponse(
                status: 200,
                headers: [(name: "Content-Type", value: "application/json")],
                body: Secret(
                    """
                    {"access_token":"access-\(name)-\(issued)","token_type":"Bearer",\
                    "refresh_token":"refresh-\(name)-\(issued)","expires_in":3600}
                    """
                )
            )
        } catch is AuthorizationServer.Refusal {
            return HTTPResponse(status: 400, body: Secret(#"{"error":"invalid_grant"}"#))
        } catch {
            throw .ambiguous(.connectionLost)
        }
    }

    /// Account and number of the refresh token in the form: nothing in one needs decoding.
    private func presented(_ request: HTTPRequest) -> (name: String, serial: Int)? {
        request.body?.reveal { body in
            let field = "refresh_token=refresh-"
            guard let value = body.split(separator: "&").first(where: { $0.hasPrefix(field) })
            else { return nil }
            let words = value.dropFirst(field.count).split(separator: "-")
            guard words.count == 2, let serial = Int(words[1]) else { return nil }
            return (String(words[0]), serial)
        }
    }
}
