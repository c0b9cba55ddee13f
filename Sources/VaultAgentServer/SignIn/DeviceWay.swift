internal import FoundationEssentials
internal import OAuth
internal import Platform
internal import VaultCrypto
internal import VaultKit
internal import VaultQRCode

/// Asks the token endpoint again and again whether the person has approved the device (RFC 8628).
struct DeviceWay: SignInWay {
    /// No codes are waited for any longer than so many seconds.
    private static let longestLife = 86_400.0
    /// Seconds that one poll may take: the next one asks the same.
    private static let pollLife = 10.0

    let authorization: DeviceAuthorization
    /// When the codes end by the wall clock, for showing.
    let end: Date
    /// The address to open as a QR code, a text of `1` and `0` for each row.
    let qrCode: [String]?
    private let began: Moment
    private let keeper: GrantKeeper
    private let transport: any HTTPTransport
    private let clock: any VaultClock

    /// Asks for the codes.
    init(
        _ request: SignInRequest,
        _ metadata: AuthorizationServerMetadata,
        vault: Vault,
        transport: any HTTPTransport,
        clock: any VaultClock,
        log: AgentLog?
    ) async throws {
        guard let endpoint = metadata.deviceAuthorizationEndpoint else {
            throw VaultError(
                .signInFailed,
                facts: [.reason: "endpoint_missing", .field: "device_authorization_endpoint"]
            )
        }
        let client = try await ClientSource(request: request, metadata: metadata)
            .client(redirectURI: nil, using: transport)
        let quirks = request.server.provider?.entry.quirks ?? ProviderQuirks()
        began = clock.now()
        let response = try await transport.send(
            DeviceAuthorization.request(
                client: client.client,
                endpoint: endpoint,
                scope: request.requestedScope,
                scopeSeparator: quirks.scopeSeparator ?? " ",
                extra: request.authorizationParameters.map { ($0.name, $0.value) }
            )
        )
        switch DeviceAuthorization.read(
            response,
            countingFrom: began.wall,
            quirks: quirks
        ) {
        case .granted(let authorization): self.authorization = authorization
        case .refused(let error):
            throw VaultError(error, host: endpoint.host, reason: "device_codes_refused")
        }
        // RFC 8628 §3.3.1.
        let address = authorization.verificationURIComplete ?? authorization.verificationURI
        qrCode = QRCode(address.string)?.modules.map { row in
            String(row.map { $0 ? "1" : "0" })
        }
        end = began.wall.addingTimeInterval(min(authorization.lifetime, Self.longestLife))
        keeper = GrantKeeper(
            request: request,
            metadata: metadata,
            client: client,
            vault: vault,
            log: log
        )
        self.transport = transport
        self.clock = clock
    }

    private var life: Double { min(authorization.lifetime, Self.longestLife) }

    func run(_ progress: SignInProgress) async {
        await progress.run(life: life + Self.pollLife) { await poll(progress) }
    }

    /// Polls until there is an outcome, the codes end, or the task is cancelled.
    private func poll(_ progress: SignInProgress) async {
        var polling = DevicePolling(authorization)
        var wait = polling.interval
        while progress.outcome == nil {
            let left = life - clock.now().seconds(since: began)
            guard (try? await clock.sleep(seconds: min(wait, max(left, 0)))) != nil else { return }
            guard wait < left else { return progress.settle(failure("device_expired")) }
            guard let next = await step(&polling, progress) else { return }
            wait = next
        }
    }

    /// Polls once; nil when that was the end of it, else the seconds until the next.
    private func step(_ polling: inout DevicePolling, _ progress: SignInProgress) async -> Double? {
        let sent = clock.now()
        var request = TokenRequest.deviceCode(
            authorization.deviceCode,
            client: keeper.client.client,
            endpoint: keeper.metadata.tokenEndpoint
        )
        request.deadline = Self.pollLife
        let response: HTTPResponse
        do throws(HTTPTransportError) {
            response = try await transport.send(request)
        } catch {
            progress.setNotice(.unreachable)
            return polling.waitAfterSilence()
        }
        let answer = TokenResponseReader(
            grantType: .deviceCode,
            quirks: keeper.request.server.provider?.entry.quirks ?? ProviderQuirks()
        )
        .read(response, countingFrom: sent.wall, presented: authorization.deviceCode)
        let before = polling.interval
        switch polling.step(after: answer) {
        case .wait(let seconds):
            progress.setNotice(polling.interval > before ? .slowedDown : nil)
            return seconds
        case .granted(let granted): await keeper.take(granted, sent: sent, progress)
        case .failed(let error): progress.settle(failure(error))
        }
        return nil
    }

    private func failure(_ error: TokenEndpointError) -> SignIn.Outcome {
        switch error.class {
        case .accessDenied: failure("device_denied")
        case .expiredToken: failure("device_expired")
        default:
            .failed(
                VaultError(
                    error,
                    host: keeper.metadata.tokenEndpoint.host,
                    reason: "device_refused"
                )
            )
        }
    }

    private func failure(_ reason: String) -> SignIn.Outcome {
        .failed(VaultError(.signInFailed, facts: [.reason: reason]))
    }
}
