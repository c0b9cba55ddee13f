internal import OAuth
internal import Platform
internal import VaultStore

/// The paces of all hosts and clients that are known: pure.
struct Paces: Sendable {
    /// Seconds from one look at the clients that have to wait to the next, unless there is news.
    private static let recheckInterval = 10.0
    /// Hosts and clients above which those are forgotten that are well.
    private static let remembered = 4096

    private var hosts: [String: Pace] = [:]
    private var clients: [DueQueue.Client: ClientPace] = [:]
    /// Where to ask hosts for a connection, and how to get there: as the last account did.
    private var endpoints: [String: Place] = [:]
    /// When the clients that have to wait were last asked about.
    private var lastRecheck: Moment?

    /// An endpoint, and the way there.
    struct Place {
        let endpoint: EndpointURL
        let network: NetworkOptions
    }

    /// What is at work for a client; nil when nothing may be started for it, or no seat is free.
    func load(of client: DueQueue.Client, free: Int, at now: Moment) -> DueQueue.Load? {
        guard free > 0 else { return nil }
        guard let pace = clients[client] else { return DueQueue.Load(host: 0, client: 0) }
        guard pace.hasRoom(at: now) else { return nil }
        let host = pace.host.flatMap { hosts[$0] } ?? Pace()
        guard host.hasRoom, host.atWork < free else { return nil }
        return DueQueue.Load(host: host.atWork, client: pace.atWork)
    }

    /// Notes where an account's client sends its refreshes; whether one may be started there.
    mutating func hasRoom(
        for account: AccountName,
        of client: DueQueue.Client,
        at host: String
    ) -> Bool {
        clients[client, default: ClientPace()].host = host
        clients[client]?.example = account
        return hosts[host, default: Pace()].hasRoom
    }

    mutating func start(
        _ client: DueQueue.Client,
        at endpoint: EndpointURL,
        through network: NetworkOptions
    ) {
        endpoints[endpoint.host] = Place(endpoint: endpoint, network: network)
        hosts[endpoint.host, default: Pace()].start()
        clients[client, default: ClientPace()].start()
    }

    mutating func end(
        _ client: DueQueue.Client,
        at host: String,
        _ ending: Pace.Ending,
        isGranted: Bool,
        _ now: Moment
    ) {
        hosts[host]?.end(ending, at: now)
        clients[client]?.end(isGranted: isGranted, at: now)
    }

    // MARK: - Clients that have to wait

    /// Sends nothing for a client for so many seconds, and then one alone.
    mutating func close(_ client: DueQueue.Client, for pause: Double, at now: Moment) {
        clients[client]?.close(for: pause, at: now)
    }

    /// Sends nothing more for a client for so many seconds, because its requests are limited.
    mutating func hold(_ client: DueQueue.Client, for pause: Double, at now: Moment) {
        clients[client]?.hold(pause, at: now)
    }

    /// Leaves at least so many seconds between two refreshes of a client.
    mutating func space(_ client: DueQueue.Client, by seconds: Double, at now: Moment) {
        clients[client]?.space(seconds, at: now)
    }

    /// Whether it is time to ask again about the clients that have to wait.
    func wantsRecheck(at now: Moment) -> Bool {
        lastRecheck.map { now.seconds(since: $0) >= Self.recheckInterval } ?? true
    }

    /// The clients that have to wait, each with an account to ask by.
    mutating func beginRecheck(
        at now: Moment
    ) -> [(client: DueQueue.Client, account: AccountName)] {
        lastRecheck = now
        return clients.compactMap { client, pace in
            guard pace.isClosed(at: now), let account = pace.example else { return nil }
            return (client, account)
        }
    }

    // MARK: - Hosts that cannot be reached

    /// Nothing that was known of any host holds any more.
    mutating func doubtAll(at now: Moment) {
        for host in hosts.keys { hosts[host]?.doubt(at: now) }
    }

    /// The network is another.
    mutating func hurryAll(at now: Moment) {
        for host in hosts.keys { hosts[host]?.hurry(at: now) }
    }

    /// Where a connection is to be asked for now, for the sake of these clients.
    mutating func beginProbes(
        for wanted: some Collection<DueQueue.Client>,
        at now: Moment
    ) -> [Place] {
        hosts(of: wanted).compactMap { host in
            guard hosts[host]?.wantsProbe(at: now) ?? false, let place = endpoints[host]
            else { return nil }
            hosts[host]?.beginProbe()
            return place
        }
    }

    mutating func endProbe(of host: String, isReachable: Bool, at now: Moment) {
        hosts[host]?.endProbe(isReachable: isReachable, at: now)
    }

    private func hosts(of wanted: some Collection<DueQueue.Client>) -> Set<String> {
        Set(wanted.compactMap { clients[$0]?.host })
    }

    // MARK: - All of them

    /// Seconds until more may be started for one of these clients, or a probe; nil when time alone
    /// brings neither.
    func delay(for wanted: some Collection<DueQueue.Client>, at now: Moment) -> Double? {
        let openings = wanted.compactMap { clients[$0]?.openingDelay(at: now) }
        let probes = hosts(of: wanted).compactMap { hosts[$0]?.probeDelay(at: now) }
        return (openings + probes).min()
    }

    /// What is known of healthy hosts and clients is soon known again; there may be very many.
    mutating func forgetIdle() {
        guard hosts.count + clients.count > Self.remembered else { return }
        hosts = hosts.filter { !$0.value.isIdle }
        clients = clients.filter { !$0.value.isIdle }
        endpoints = endpoints.filter { hosts[$0.key] != nil }
    }
}
