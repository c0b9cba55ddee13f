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
    private var seats: Seats
    private var lastNumber: UInt64 = 0
    private var exchanges: [Connection: Exchange] = [:]
    /// Requests whose connections are suspended.
    private var handled: [UInt64: Connection] = [:]
    private var stop = Stop()
    /// Time that `stop()` gives clients to take the end of their streams.
    private static let streamEnd: Duration = .seconds(1)
    /// Time that `stop()` gives those who have just connected to send what they came for.
    private static let arrival: Duration = .milliseconds(100)

    /// Who waits for the end, and until when it waits for others.
    private struct Stop {
        var deadline: ContinuousClock.Instant?
        var streamDeadline: ContinuousClock.Instant?
        var arrivalDeadline: ContinuousClock.Instant?
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
        seats = Seats(limits)
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
        for late in seats.late(at: .now) { Socket.shutDown(vault_mhd_socket(late)) }
        _ = MHD_run(daemon)
    }

    /// Milliseconds until something is due without anybody's doing, -1 for never.
    private func timeout(now: ContinuousClock.Instant) -> Int32 {
        var due: [Int] = []
        var idle: UInt64 = 0
        if MHD_get_timeout(daemon, &idle) == .YES { due.append(Int(clamping: idle)) }
        let moments = [
            seats.nextDeadline, stop.deadline, stop.streamDeadline, stop.arrivalDeadline,
        ]
        for wait in [gate.remainingPause(now: now)] + moments.map({ $0.map { $0 - now } }) {
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
        seats.oldest { exchanges[$0]?.isHandled != true }
    }

    // MARK: - Messages

    private func receive(_ message: ServerMessage) {
        switch message {
        case .answer(let answer, let number):
            resume(number) { $0.phase = .answered(answer) }
        case .piece(let piece, let number):
            resume(number) { $0.source?.take(piece) }
        case .stop(let waiter): beginToStop(waiter)
        }
    }

    private func resume(_ number: UInt64, _ change: (inout Exchange) -> Void) {
        guard let connection = handled.removeValue(forKey: number) else { return }
        if var exchange = exchanges[connection] {
            change(&exchange)
            exchanges[connection] = exchange
        }
        MHD_resume_connection(connection)
    }

    private func beginToStop(_ waiter: CheckedContinuation<Void, Never>?) {
        if let waiter { stop.waiters.append(waiter) }
        guard stop.deadline == nil else { return }
        // Who has come by now is answered: closing the listener would break those connections off.
        acceptAll()
        _ = MHD_run(daemon)
        gate.listener.close()
        stop.deadline = .now + .seconds(limits.stopSeconds)
        stop.streamDeadline = .now + Self.streamEnd
        // They found somebody listening: no client takes a connection that breaks off for nobody.
        stop.arrivalDeadline = seats.lastArrival(within: Self.arrival)
        for exchange in exchanges.values { exchange.source?.end() }
    }

    private var mayEnd: Bool {
        guard let deadline = stop.deadline else { return false }
        let now = ContinuousClock.now
        if let end = stop.streamDeadline, now >= end { stop.streamDeadline = nil }
        if let end = stop.arrivalDeadline, now >= end || seats.lastArrival(within: .zero) == nil {
            stop.arrivalDeadline = nil
        }
        guard now < deadline else { return true }
        return stop.arrivalDeadline == nil && !exchanges.values.contains(where: isAwaited)
    }

    /// Whether `stop()` waits for the end of an answer.
    private func isAwaited(_ exchange: Exchange) -> Bool {
        exchange.isHandled && (exchange.source == nil || stop.streamDeadline != nil)
    }

    private func end() {
        for exchange in exchanges.values { exchange.source?.abandon() }
        for number in handled.keys {
            resume(number) { exchange in
                guard case .handling(let task) = exchange.phase else { return }
                task.cancel()
                exchange.phase = .answered(.drop)
            }
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
            seats.closed(connection)
            return forget(connection)
        }
        seats.opened(connection, at: .now)
    }

    func requestBegan(_ connection: Connection, target: String) {
        lastNumber += 1
        exchanges[connection] = Exchange(number: lastNumber, target: target)
        seats.requestBegan(connection, at: .now)
    }

    func requestEnded(_ connection: Connection) {
        forget(connection)
        seats.requestEnded(connection, at: .now)
    }

    private func forget(_ connection: Connection) {
        guard let exchange = exchanges.removeValue(forKey: connection) else { return }
        handled[exchange.number] = nil
        exchange.source?.abandon()
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
            return respond(connection, limits.refusal(413))
        case .body where !piece.isEmpty:
            let more = exchanges[connection]?.append(piece, limit: limits.bodyBytes) ?? false
            return more ? .YES : .NO
        case .body:
            return handle(connection, method: method)
        case .handling, .responding, .streaming:
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
        seats.requestCame(connection)
        if exchange.isTooLarge { return respond(connection, limits.refusal(413)) }
        let headers = Daemon.headers(of: connection)
        if headers.count > limits.headerFields { return respond(connection, limits.refusal(431)) }
        let request = HTTPServerRequest(
            method: method,
            target: exchange.target,
            headers: headers,
            body: exchanges[connection]?.takeBody() ?? [],
            process: gate.peerProcess(of: vault_mhd_socket(connection))
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
        case .stream(let stream):
            return begin(stream, on: connection)
        case .raw(let bytes):
            try? Socket.writeAll(bytes, to: vault_mhd_socket(connection))
            return .NO
        case .drop:
            return .NO
        }
    }

    private func begin(_ stream: HTTPServerStream, on connection: Connection) -> MHD_Result {
        guard let number = exchanges[connection]?.number else { return .NO }
        let source = StreamSource(stream, number: number, on: connection, mailbox: mailbox) {
            [unowned self] in handled[number] = connection
        }
        if stop.deadline != nil { source.end() }
        exchanges[connection]?.phase = .streaming(source)
        return Daemon.queue(source, on: connection, closing: !limits.keepsConnections)
    }

    private func respond(_ connection: Connection, _ response: HTTPServerResponse) -> MHD_Result {
        exchanges[connection]?.phase = .responding
        return Daemon.queue(response, on: connection, closing: !limits.keepsConnections)
    }
}
