import CPlatform
import Glibc
import Testing

@testable import Platform

@Suite struct SystemChangesTests {
    /// A socket that stands for the kernel's, and the end that makes it readable.
    private struct Notices: ~Copyable {
        let descriptor: Int32
        let other: Int32

        init() throws {
            var ends: [Int32] = [-1, -1]
            guard socketpair(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0, &ends) == 0 else {
                throw SystemError(number: errno)
            }
            (descriptor, other) = (ends[0], ends[1])
        }

        func send() {
            _ = write(other, "change", 6)
        }
    }

    @Test func aBurstIsOneNoticeForEachListener() async throws {
        let notices = try Notices()
        let changes = SystemChanges(clock: -1, network: notices.descriptor)
        var first = changes.stream().makeAsyncIterator()
        var second = changes.stream().makeAsyncIterator()
        for _ in 1...5 { notices.send() }
        #expect(await first.next() == .network)
        #expect(await second.next() == .network)
        notices.send()
        #expect(await first.next() == .network)
    }

    @Test func whatNobodyTakesIsNotKept() async throws {
        let notices = try Notices()
        let changes = SystemChanges(clock: -1, network: notices.descriptor)
        let listener = Task {
            for await _ in changes.stream() {}
            return true
        }
        listener.cancel()
        #expect(await listener.value)
        var stream = changes.stream().makeAsyncIterator()
        notices.send()
        #expect(await stream.next() == .network)
    }

    @Test func aListenerEndsWithItsTask() async {
        let listener = Task {
            for await change in SystemChanges.stream { return SystemChange?.some(change) }
            return nil
        }
        listener.cancel()
        #expect(await listener.value == nil)
    }

    @Test func theKernelLetsUsWatch() throws {
        let clock = cplatform_watch_wall_clock()
        let network = cplatform_watch_network()
        defer { for descriptor in [clock, network] { Descriptor.close(descriptor) } }
        #expect(clock >= 0 && network >= 0)
        // Nobody has set the clock since.
        #expect(cplatform_take_clock_change(clock) == 0)
        for descriptor in [clock, network] {
            #expect(fcntl(descriptor, F_GETFD) & FD_CLOEXEC != 0)
        }
    }
}
