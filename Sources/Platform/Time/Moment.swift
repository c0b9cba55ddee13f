internal import CPlatform
internal import Glibc
public import FoundationEssentials

/// A point in time on two clocks: the wall's, and one that counts suspended time and never steps.
///
/// Between two moments of one boot the second clock decides, so that somebody setting the wall
/// clock neither expires a token nor revives one.
public struct Moment: Sendable, Hashable {
    /// Wall-clock time.
    public let wall: Date
    /// Identifies the boot that `uptime` belongs to; empty when unknown.
    public let bootID: String
    /// Seconds since that boot, suspended time included.
    public let uptime: TimeInterval

    /// A moment put together from its parts.
    public init(wall: Date, bootID: String, uptime: TimeInterval) {
        self.wall = wall
        self.bootID = bootID
        self.uptime = uptime
    }

    /// Seconds from `earlier` to this moment; by the wall clock only across boots.
    public func seconds(since earlier: Moment) -> TimeInterval {
        guard isOfBoot(of: earlier) else { return wall.timeIntervalSince(earlier.wall) }
        return uptime - earlier.uptime
    }

    /// Whether both are certainly of one boot.
    package func isOfBoot(of other: Moment) -> Bool {
        !bootID.isEmpty && bootID == other.bootID
    }

    /// The same moment moved by some seconds on both clocks.
    public func advanced(by seconds: TimeInterval) -> Moment {
        Moment(
            wall: wall.addingTimeInterval(seconds),
            bootID: bootID,
            uptime: uptime + seconds
        )
    }
}

/// Where a vault takes the time from.
public protocol VaultClock: Sendable {
    /// The current moment.
    func now() -> Moment

    /// Sleeps for some seconds of the suspend-counting clock, or until the task is cancelled.
    ///
    /// - Throws: `CancellationError` when the task is cancelled.
    func sleep(seconds: TimeInterval) async throws
}

/// The machine's clocks.
public struct SystemClock: VaultClock {
    /// The machine's clocks.
    public init() {}

    /// The current moment.
    public func now() -> Moment {
        let nanosecond = 1e-9
        return Moment(
            wall: Date(timeIntervalSince1970: Double(cplatform_walltime()) * nanosecond),
            bootID: Self.bootID,
            uptime: Double(cplatform_boottime()) * nanosecond
        )
    }

    /// Sleeps for some seconds of the suspend-counting clock, or until the task is cancelled.
    ///
    /// One that would have ended during a suspend ends right after it.
    ///
    /// - Throws: `CancellationError` when the task is cancelled.
    public func sleep(seconds: TimeInterval) async throws {
        try await BootTimer.shared.sleep(seconds: seconds)
    }

    private static let bootID: String = {
        var buffer = [UInt8](repeating: 0, count: 36)
        let count = cplatform_read_file(
            "/proc/sys/kernel/random/boot_id",
            &buffer,
            UInt64(buffer.count)
        )
        // Without one every comparison falls back to the wall clock, which is what is left.
        guard count == buffer.count else { return "" }
        return String(decoding: buffer, as: UTF8.self)
    }()
}

/// The suspend-counting clock alone.
package enum Uptime {
    /// Seconds since boot, suspended time included.
    package static func seconds() -> TimeInterval {
        Double(cplatform_boottime()) * 1e-9
    }

    /// Microseconds of the clock that stands still while the machine is suspended, which service
    /// managers count in.
    package static func monotonicMicroseconds() -> Int64 {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        return Int64(now.tv_sec) * 1_000_000 + Int64(now.tv_nsec) / 1000
    }
}

/// The wall clock alone.
package enum WallClock {
    package static func now() -> Date {
        Date(timeIntervalSince1970: Double(cplatform_walltime()) * 1e-9)
    }
}

/// Waiting on the spot, for programs that have nothing else to do.
package enum Pause {
    package static func milliseconds(_ count: UInt32) {
        usleep(count * 1000)
    }
}
