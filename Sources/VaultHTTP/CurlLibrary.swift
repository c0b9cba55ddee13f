internal import CCurl
internal import Glibc
internal import Platform

/// libcurl and the libraries behind it, which tidy up when the program exits.
///
/// A program may exit while a transport's thread is at work or about to end: the last reference to a
/// transport can go on any thread. From then on the thread must not touch what is being freed, nor
/// free anything itself (OpenSSL has something to free for every thread that ends).
enum CurlLibrary {
    private static let state = Locked(State())

    private struct State {
        var isOver = false
        var threads: [ObjectIdentifier: CurlThread] = [:]
    }

    /// Safe from every thread since 7.84 (curl_global_init(3)), and needed once.
    ///
    /// Handlers run in reverse order of their registration (atexit(3)): ours before those of the
    /// libraries that this makes ready.
    static let isReady: Bool = {
        guard curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK else { return false }
        return atexit { CurlLibrary.end() } == 0
    }()

    /// Runs a short piece of work with libcurl, which nothing tidies up meanwhile.
    ///
    /// Once the program exits it does not return. The lock is held over libcurl's calls: they never
    /// wait, and nothing in them calls back to here.
    static func use(_ body: () -> Void) {
        let isOver = state.withLock { state in
            if !state.isOver { body() }
            return state.isOver
        }
        guard !isOver else {
            while true { pause() }
        }
    }

    static func add(_ thread: CurlThread) {
        state.withLock { $0.threads[ObjectIdentifier(thread)] = thread }
    }

    /// Waits for the end of a thread that was told to end.
    static func join(_ thread: CurlThread) {
        guard !state.withLock(\.isOver) else { return }
        thread.join()
        state.withLock { $0.threads[ObjectIdentifier(thread)] = nil }
    }

    /// Lets the threads come to a halt, or to their end where that has begun.
    private static func end() {
        let threads = state.withLock { state in
            state.isOver = true
            return Array(state.threads.values)
        }
        for thread in threads where thread.isLeaving { thread.join() }
    }
}

/// The thread of a transport.
final class CurlThread: Sendable {
    private let state = Locked<(thread: JoinableThread?, isLeaving: Bool)>((nil, false))

    /// Whether it has done with libcurl, and ends.
    var isLeaving: Bool { state.withLock(\.isLeaving) }

    /// To be called within `CurlLibrary.use`.
    func leave() {
        state.withLock { $0.isLeaving = true }
    }

    func start(_ body: sending @escaping () -> Void) throws(SystemError) {
        let thread = try DedicatedThread.startJoinable(body)
        state.withLock { $0.thread = thread }
    }

    func join() {
        state.withLock(\.thread)?.join()
    }
}
