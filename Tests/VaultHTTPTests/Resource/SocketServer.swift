import OAuth
import Platform

/// A server on 127.0.0.1 that sends and reads exactly what a test says: each connection has a thread.
///
/// It stops with its last reference, so that a test that fails half way leaves nothing running.
final class SocketServer: Sendable {
    private let loop: SocketLoop

    /// Speaks on every connection; it is closed when the closure returns.
    init(_ speak: @escaping @Sendable (ServedConnection) throws -> Void) throws {
        loop = try SocketLoop()
        try loop.start(speak)
    }

    deinit {
        stop()
    }

    var port: UInt16 { loop.listener.port }
    /// Connections so far.
    var connectionCount: Int { loop.count.withLock { $0 } }

    func url(_ path: String = "/") -> EndpointURL {
        EndpointURL(unchecked: "http://127.0.0.1:\(port)\(path)")
    }

    /// Waits until so many connections are done with; those on which nothing moved do not count.
    func waitForEnds(_ count: Int = 1) async {
        var left = count
        for await _ in loop.ends {
            left -= 1
            if left == 0 { return }
        }
    }

    /// Takes no more connections, and ends those there are.
    func stop() {
        loop.stop()
    }
}

/// What the threads of a server hold on to.
private final class SocketLoop: Sendable {
    let listener: ListeningSocket
    private let isStopped = Locked(false)
    private let served = Locked<[ServedConnection]>([])
    let ends: AsyncStream<Int>
    private let end: AsyncStream<Int>.Continuation

    let count = Locked(0)

    init() throws {
        listener = try .loopback()
        (ends, end) = AsyncStream.makeStream()
    }

    func start(_ speak: @escaping @Sendable (ServedConnection) throws -> Void) throws {
        try DedicatedThread.start { [self] in
            while !isStopped.withLock({ $0 }) {
                guard let descriptor = accept() else { continue }
                let connection = ServedConnection(descriptor, number: add())
                served.withLock { $0.append(connection) }
                if isStopped.withLock({ $0 }) { connection.shutDown() }
                serve(connection, speak)
            }
            listener.close()
        }
    }

    private func add() -> Int {
        count.withLock { count in
            count += 1
            return count
        }
    }

    private func accept() -> Int32? {
        guard let descriptor = listener.descriptor,
            Descriptor.waitReadable([descriptor], milliseconds: 10) == [true]
        else { return nil }
        return try? listener.accept()
    }

    private func serve(
        _ connection: ServedConnection,
        _ speak: @escaping @Sendable (ServedConnection) throws -> Void
    ) {
        try? DedicatedThread.start { [end] in
            do {
                try speak(connection)
            } catch is ServedConnection.Stalled {
                return connection.close()
            } catch {
                // The client has ended it.
            }
            connection.close()
            end.yield(connection.number)
        }
    }

    /// Takes no more connections, and ends those there are.
    func stop() {
        isStopped.withLock { $0 = true }
        served.withLock { $0 }.forEach { $0.shutDown() }
    }
}
