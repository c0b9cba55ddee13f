internal import CMicroHTTPD
internal import Glibc
internal import Platform

/// The library's calls that need C pointers.
enum Daemon {
    /// Starts a daemon whose callbacks go to `loop`, which must outlive it.
    static func start(
        for loop: ServerLoop,
        limits: HTTPServerLimits
    ) throws(SystemError) -> OpaquePointer {
        var settings = vault_mhd_settings(
            context: Unmanaged.passUnretained(loop).toOpaque(),
            target: requestBegan,
            request: requestContinued,
            completed: requestEnded,
            connection: connectionChanged,
            connection_memory: limits.connectionMemory,
            connections: UInt32(clamping: limits.connections),
            idle_seconds: UInt32(clamping: limits.idleSeconds)
        )
        guard let daemon = vault_mhd_start(&settings) else {
            throw SystemError(number: errno == 0 ? ENOMEM : errno)
        }
        return daemon
    }

    /// Hands a response to the library, which copies it.
    static func queue(
        _ response: HTTPServerResponse,
        on connection: OpaquePointer,
        closing isLast: Bool
    ) -> MHD_Result {
        guard let prepared = prepare(response) else { return .NO }
        defer { MHD_destroy_response(prepared) }
        if isLast { MHD_add_response_header(prepared, "Connection", "close") }
        return MHD_queue_response(connection, UInt32(clamping: response.status), prepared)
    }

    /// Has the library send a stream, whose source it keeps until it is done with it.
    static func queue(
        _ source: StreamSource,
        on connection: OpaquePointer,
        closing isLast: Bool
    ) -> MHD_Result {
        let context = Unmanaged.passRetained(source)
        // No length: the end is known when it comes.
        let created = MHD_create_response_from_callback(
            UInt64.max,
            4096,
            readStream,
            context.toOpaque(),
            releaseStream
        )
        guard let created else {
            context.release()
            return .NO
        }
        guard let prepared = add(source.headers, to: created) else { return .NO }
        defer { MHD_destroy_response(prepared) }
        if isLast { MHD_add_response_header(prepared, "Connection", "close") }
        return MHD_queue_response(connection, UInt32(clamping: source.status), prepared)
    }

    private static func prepare(_ response: HTTPServerResponse) -> OpaquePointer? {
        var body = response.body
        let prepared = body.withUnsafeMutableBytes {
            MHD_create_response_from_buffer($0.count, $0.baseAddress, .RESPMEM_MUST_COPY)
        }
        guard let prepared else { return nil }
        return add(response.headers, to: prepared)
    }

    private static func add(
        _ headers: [(name: String, value: String)],
        to prepared: OpaquePointer
    ) -> OpaquePointer? {
        for (name, value) in headers where !isOurs(name) {
            // Refused for line breaks and the like: no answer is better than half of one.
            guard MHD_add_response_header(prepared, name, value) == .YES else {
                MHD_destroy_response(prepared)
                return nil
            }
        }
        return prepared
    }

    private static func isOurs(_ name: String) -> Bool {
        ["content-length", "transfer-encoding", "connection"].contains(name.lowercased())
    }

    static func header(_ name: String, of connection: OpaquePointer) -> String? {
        MHD_lookup_connection_value(connection, .HEADER_KIND, name).map(String.init(cString:))
    }

    static func headers(of connection: OpaquePointer) -> [(name: String, value: String)] {
        var headers: [(name: String, value: String)] = []
        _ = withUnsafeMutablePointer(to: &headers) {
            MHD_get_connection_values_n(connection, .HEADER_KIND, collectHeader, $0)
        }
        return headers
    }
}

// C calls these; each finds its Swift object in the context pointer.

private func loop(_ context: UnsafeMutableRawPointer?) -> ServerLoop? {
    context.map { Unmanaged<ServerLoop>.fromOpaque($0).takeUnretainedValue() }
}

private let requestBegan:
    @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?, OpaquePointer?)
        -> UnsafeMutableRawPointer? = { context, uri, connection in
            guard let uri, let connection else { return nil }
            loop(context)?.requestBegan(connection, target: String(cString: uri))
            return nil
        }

private let requestContinued: MHD_AccessHandlerCallback = {
    context,
    connection,
    _,
    method,
    _,
    data,
    size,
    _ in
    guard let connection, let method, let size, let loop = loop(context) else { return .NO }
    let piece = UnsafeRawBufferPointer(start: data, count: size.pointee)
    // Zero says that all of it was taken.
    size.pointee = 0
    return loop.requestContinued(connection, method: String(cString: method), piece: piece)
}

private let requestEnded: MHD_RequestCompletedCallback = { context, connection, _, _ in
    guard let connection else { return }
    loop(context)?.requestEnded(connection)
}

private let connectionChanged: MHD_NotifyConnectionCallback = { context, connection, _, change in
    guard let connection else { return }
    loop(context)?.connectionChanged(
        connection,
        opened: change == .CONNECTION_NOTIFY_STARTED
    )
}

private let readStream: MHD_ContentReaderCallback = { source, _, buffer, size in
    guard let source, let buffer else { return -2 }
    return Unmanaged<StreamSource>.fromOpaque(source).takeUnretainedValue()
        .read(into: UnsafeMutableRawBufferPointer(start: buffer, count: size))
}

private let releaseStream: MHD_ContentReaderFreeCallback = { source in
    if let source { Unmanaged<StreamSource>.fromOpaque(source).release() }
}

private let collectHeader: MHD_KeyValueIteratorN = { headers, _, name, nameSize, value, valueSize in
    guard let headers, let name else { return .YES }
    let text = { (bytes: UnsafePointer<CChar>?, count: Int) in
        String(decoding: UnsafeRawBufferPointer(start: bytes, count: count), as: UTF8.self)
    }
    headers.assumingMemoryBound(to: [(name: String, value: String)].self).pointee
        .append((text(name, nameSize), text(value, valueSize)))
    return .YES
}
