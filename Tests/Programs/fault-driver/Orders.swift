import FoundationEssentials
import OAuth
import Platform
import VaultCrypto
import VaultHTTP
import VaultKit
import VaultStore

/// Refreshes over HTTP, at a server that the harness runs: one order a line on standard input, and
/// for each a line that says what came of it, after a line for each step of the protocol.
///
/// What a line gives out of a vault are tokens of a test server.
struct Orders {
    private let vault: Vault
    private let window: Window

    /// Opens the vault as a program without an agent does.
    init(_ order: Order) async throws {
        let window = Window()
        self.window = window
        vault = try await Vault.open(
            order.location,
            unlock: .keyFileAt(path: order.keyFile),
            transport: CurlTransport(),
            clock: SystemClock(),
            faults: FaultPoints { place in
                guard !window.passed(place) else { return }
                Announcement.step(place.rawValue, at: Date.now)
            }
        )
    }

    /// Does what it is told until there is no more.
    func run() async throws {
        Announcement.step("ready")
        // Nothing else runs on the main thread, which waits here.
        while let line = readLine() {
            let words = line.split(separator: " ", maxSplits: 4).map { String($0) }
            guard words.count > 1, let name = AccountName(words[1]) else { break }
            do {
                Announcement.result(try await answer(words[0], name, Array(words.dropFirst(2))))
            } catch let error as VaultError {
                let reason = error.facts[.reason] ?? "-"
                Announcement.result("failed \(name) \(error.code.rawValue) \(reason)")
            }
        }
        await vault.close()
    }

    private func answer(
        _ verb: String,
        _ name: AccountName,
        _ words: [String]
    ) async throws -> String {
        switch verb {
        case "sign-in": return try await signIn(name, words)
        case "refresh": return served(try await vault.refresh(name))
        case "token":
            let token = try await vault.accessToken(
                for: name,
                minimumLifetime: words.first.flatMap { Double($0) },
                deadline: words.dropFirst().first.flatMap { Double($0) } ?? 60
            )
            return served(token)
        case "look":
            let account = try await vault.account(name)
            return "account \(name) \(account.generation) \(account.state.rawValue)"
        case "measure": return try await measure(name, words.first.flatMap { Int($0) } ?? 0)
        default: throw VaultError(.invalidInput, facts: [.field: verb])
        }
    }

    private func served(_ token: AccessToken) -> String {
        "served \(token.account) \(token.generation) \(token.value.reveal { $0 })"
    }

    /// `sign-in NAME ROTATION ENDPOINT RESPONSE`: a new grant, as a person gets one.
    private func signIn(_ name: AccountName, _ words: [String]) async throws -> String {
        guard words.count == 3, let rotation = RefreshTokenRotation(words[0]) else {
            throw VaultError(.invalidInput, facts: [.field: "sign-in"])
        }
        let clock = SystemClock()
        let answer = TokenResponseReader(grantType: .refreshToken).read(
            HTTPResponse(status: 200, body: Secret(words[2])),
            countingFrom: clock.now().wall
        )
        guard case .granted(let response) = answer else {
            throw VaultError(.invalidInput, facts: [.field: "token_response"])
        }
        let registration = AccountRegistration(
            name: name,
            client: Client(id: ClientID(rawValue: "test-public")),
            tokenEndpoint: try EndpointURL(words[1]),
            refresh: RefreshOptions(rotation: rotation == .unknown ? nil : rotation)
        )
        let account = try await vault.signIn(registration, response, sent: clock.now())
        return "account \(name) \(account.generation) \(account.state.rawValue)"
    }

    /// `measure NAME COUNT`: refreshes nobody disturbs, and the microseconds from the answer's last
    /// byte to the commit of each.
    private func measure(_ name: AccountName, _ count: Int) async throws -> String {
        window.isMeasuring = true
        defer { window.isMeasuring = false }
        for _ in 0..<count { try await vault.refresh(name) }
        return "measured \(name) " + window.microseconds.map { "\($0)" }.joined(separator: ",")
    }
}
