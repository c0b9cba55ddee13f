internal import CMicroHTTPD
internal import Platform

/// The server's thread: everything here runs on it alone, the library's callbacks included.
final class ServerLoop {
    typealias Connection = OpaquePointer

    let limits: HTTPServerLimits
    private let handler: HTTPServer.Handler
    private let mailbox: Mailbox<ServerMessage>
    private var gate: ConnectionGate
    private var daemon: OpaquePointer?
    /// The connections, numbered in the order they came.
    private var seats: [Connection: UInt64] = [:]
    private var lastSeat: UInt64 = 0
    private var lastNumber: UInt64 = 0
    private var exchanges: [Connection: Exchange] = [:]
    private var handled: [UInt64: Connection] = [:]
    private var stop = Stop()

    /// Who waits for the end, and until when it waits for others.
    private struct Stop {
        var deadline: ContinuousClock.Instant?
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    init(
        gate: ConnectionGate,
        limits: HTTPServerLimits,
        mailbox: Mailbox<ServerMessage>,
        handler: @escaping HTTPServer.Handler
    ) throws(SystemError) {
        self.gate = gate
        self.limits = limits
        self.mailbox = mailbox
        self.handler = handler
        daemon = try Daemon.start(for: self, limits: limits)
    }

    deinit {
        // Only when the thread never started.
        if let daemon { MHD_stop_daemon(daemon) }
    }

    func run() {
        while !mayEnd { turn() }
        end()
    }

    private func turn() {
        let now = ContinuousClock.now
        var watched = [mailbox.descriptor, vault_mhd_epoll_descriptor(daemon)]
        let door = gate.descriptor(hasRoom: seats.count < gate.limit || oldestIdle != nil, now: now)
        if let door { watched.append(door) }
        let ready = Descriptor.waitReadable(watched, milliseconds: timeout(now: now))
        if ready[0] { mailbox.takeAll().forEach(receive) }
        if door != nil, ready[2] { acceptAll() }
        _ = MHD_run(daemon)
    }

    /// Milliseconds until something is due without anybody's doing, -1 for never.
    private func timeout(now: ContinuousClock.Instant) -> Int32 {
        var due: [Int] = []
        var idle: UInt64 = 0
        if MHD_get_timeout(daemon, &idle) == .YES { due.append(Int(clamping: idle)) }
        for wait in [gate.remainingPause(now: now), stop.deadline.map { $0 - now }] {
            // Rounded up, or the last millisecond would be spent spinning.
            if let wait { due.append(max(0, Int(wait / .milliseconds(1)) + 1)) }
        }
        return due.min().map(Int32.init(clamping:)) ?? -1
    }

    private func acceptAll() {
        if seats.count >= gate.limit { makeRoom() }
        while seats.count < gate.limit, let socket = gate.next() {
            // The library closes the socket itself when it fails.
            _ = MHD_add_connection(daemon, socket, nil, 0)
        }
    }

    /// Shows whoever has been here longest without a request the door: connections that say nothing,
    /// or a byte now and then, must not keep others out.
    private func makeRoom() {
        // What has arrived counts.
        _ = MHD_run(daemon)
        guard seats.count >= gate.limit, let oldestIdle else { return }
        // The library sees the end of the connection and closes it.
        Socket.shutDown(vault_mhd_socket(oldestIdle))
        _ = MHD_run(daemon)
    }

    private var oldestIdle: Connection? {
        seats.filter { exchanges[$0.key]?.isHandled != true }.min { $0.value < $1.value }?.key
    }

    // MARK: - Messages

    private func receive(_ message: ServerMessage) {
        switch message {
        case .answer(let answer, let number): resume(number, with: answer)
        case .stop(let waiter): beginToStop(waiter)
        }
    }

    private func resume(_ number: UInt64, with answer: HTTPServerAnswer) {
        guard let connection = handled.removeValue(forKey: number) else { return }
        exchanges[connection]?.phase = .answered(answer)
        MHD_resume_connection(connection)
    }

    private func beginToStop(_ waiter: CheckedContinuation<Void, Never>?) {
        if let waiter { stop.waiters.append(waiter) }
        guard stop.deadline == nil else { return }
        gate.listener.close()
        stop.deadline = .now + .seconds(limits.stopSeconds)
    }

    private var mayEnd: Bool {
        guard let deadline = stop.deadline else { return false }
        return ContinuousClock.now >= deadline || !exchanges.values.contains(where: \.isHandled)
    }

    private func end() {
        for (number, connection) in handled {
            if case .handling(let task) = exchanges[connection]?.phase { task.cancel() }
            resume(number, with: .drop)
        }
        // A suspended connection must be resumed, and seen so, before the daemon may stop.
        _ = MHD_run(daemon)
        MHD_stop_daemon(daemon)
        daemon = nil
        for case .stop(let waiter?) in mailbox.close() { stop.waiters.append(waiter) }
        stop.waiters.forEach { $0.resume() }
    }

    // MARK: - The library's callbacks

    func connectionChanged(_ connection: Connection, opened: Bool) {
        guard opened else {
            seats[connection] = nil
            return forget(connection)
        }
        lastSeat += 1
        seats[connection] = lastSeat
    }

    func requestBegan(_ connection: Connection, target: String) {
        lastNumber += 1
        exchanges[connection] = Exchange(number: lastNumber, target: target)
    }

    func requestEnded(_ connection: Connection) {
        forget(connection)
    }

    private func forget(_ connection: Connection) {
        guard let exchange = exchanges.removeValue(forKey: connection) else { return }
        handled[exchange.number] = nil
    }

    /// The library asks, several times for one request, what to do next.
    func requestContinued(
        _ connection: Connection,
        method: String,
        piece: UnsafeRawBufferPointer
    ) -> MHD_Result {
        guard let phase = exchanges[connection]?.phase else { return .NO }
        switch phase {
        case .header:
            exchanges[connection]?.phase = .body
            guard let length = declaredLength(connection) else { return .YES }
            guard Exchange.isHopeless(declared: length, limit: limits.bodyBytes) else {
                exchanges[connection]?.reserve(min(length, limits.bodyBytes))
                return .YES
            }
            return respond(connection, HTTPServerResponse(status: 413))
        case .body where !piece.isEmpty:
            let more = exchanges[connection]?.append(piece, limit: limits.bodyBytes) ?? false
            return more ? .YES : .NO
        case .body:
            return handle(connection, method: method)
        case .handling, .responding:
            return .YES
        case .answered(let answer):
            return finish(connection, answer)
        }
    }

    private func declaredLength(_ connection: Connection) -> Int? {
        Daemon.header("Content-Length", of: connection).flatMap { Int($0) }
    }

    /// Gives the complete request to the handler.
    private func handle(_ connection: Connection, method: String) -> MHD_Result {
        guard let exchange = exchanges[connection] else { return .NO }
        if exchange.isTooLarge { return respond(connection, HTTPServerResponse(status: 413)) }
        let request = HTTPServerRequest(
            method: method,
            target: exchange.target,
            headers: Daemon.headers(of: connection),
            body: exchanges[connection]?.takeBody() ?? []
        )
        let number = exchange.number
        MHD_suspend_connection(connection)
        handled[number] = connection
        // Awaited by nobody: its answer comes as a message, and `end` cancels it.
        let task = Task { [handler, mailbox] in
            let answer = await handler(request)
            mailbox.post(.answer(answer, request: number))
        }
        exchanges[connection]?.phase = .handling(task)
        return .YES
    }

    private func finish(_ connection: Connection, _ answer: HTTPServerAnswer) -> MHD_Result {
        switch answer {
        case .response(let response):
            return respond(connection, response)
        case .raw(let bytes):
            try? Socket.writeAll(bytes, to: vault_mhd_socket(connection))
            return .NO
        case .drop:
            return .NO
        }
    }

    private func respond(_ connection: Connection, _ response: HTTPServerResponse) -> MHD_Result {
        exchanges[connection]?.phase = .responding
        return Daemon.queue(response, on: connection, closing: !limits.keepsConnections)
    }
}
