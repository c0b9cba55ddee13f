@preconcurrency import Dispatch
import Foundation

/// Waiting for the wish that the program ends.
enum StopSignal {
    /// Returns on the first SIGTERM or SIGINT, or when the task is cancelled.
    static func received() async {
        let signals = AsyncStream<Void> { continuation in
            let sources = [SIGTERM, SIGINT].map { number in
                signal(number, SIG_IGN)
                let source = DispatchSource.makeSignalSource(signal: number)
                source.setEventHandler { continuation.yield() }
                source.resume()
                return source
            }
            continuation.onTermination = { _ in
                for source in sources { source.cancel() }
            }
        }
        for await _ in signals { return }
    }
}
