internal import OAuth
internal import Platform

/// The limits of requests that hold for a vault: the person's for a host, else the catalogue's.
struct HostLimits {
    /// Seconds after which the configuration is read again.
    private static let life = 5.0

    private let location: VaultLocation
    private var limits: [String: RequestLimit] = [:]
    private var readAt: Double?

    init(_ location: VaultLocation) {
        self.location = location
    }

    /// The limit of the requests that refresh accounts of these settings.
    mutating func limit(for settings: AccountSettings) -> RequestLimit? {
        let now = Uptime.seconds()
        if readAt.map({ now - $0 >= Self.life }) ?? true {
            readAt = now
            // One that cannot be read is the agent's to complain of; what was known goes on.
            if let read = try? VaultConfiguration.read(location) { limits = read.limits }
        }
        let host = settings.refreshEndpoint.host
        if let told = limits[host] { return told }
        // The same software elsewhere has limits of its own.
        guard let provider = settings.provider, provider.isRecognised(host: host) else {
            return nil
        }
        return provider.tokenRequests
    }
}
