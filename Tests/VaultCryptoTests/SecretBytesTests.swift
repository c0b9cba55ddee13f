internal import Glibc
import Testing

@testable import VaultCrypto

@Suite struct SecretBytesTests {
    @Test(arguments: [0, 1, 32, 4095, 4096, 4097])
    func itHoldsACopy(_ count: Int) {
        let bytes = Randomness.bytes(count: count)
        let secret = SecretBytes(copying: bytes.span)
        #expect(secret.count == count)
        #expect(secret.exposed == bytes)
    }

    @Test func randomBytesDiffer() {
        let one = SecretBytes.random(count: 32)
        let other = SecretBytes.random(count: 32)
        #expect(one.exposed != other.exposed)
    }

    @Test func fillingThatFailsPassesTheErrorOn() {
        #expect(throws: KeySlotError.damaged) {
            _ = try SecretBytes(count: 32) { _ throws(KeySlotError) in throw .damaged }
        }
    }

    // Back to the default action first: the crash reporter takes seconds.
    @Test func writingStopsTheProcess() async {
        await #expect(processExitsWith: .signal(SIGSEGV)) {
            signal(SIGSEGV, SIG_DFL)
            let secret = SecretBytes.random(count: 32)
            secret.withBytes { UnsafeMutablePointer(mutating: $0).pointee = 1 }
        }
    }

    @Test func readingPastTheEndStopsTheProcess() async {
        await #expect(processExitsWith: .signal(SIGSEGV)) {
            signal(SIGSEGV, SIG_DFL)
            let secret = SecretBytes.random(count: 32)
            let next = secret.withBytes { $0[32] }
            exit(next == 0 ? EXIT_SUCCESS : EXIT_FAILURE)
        }
    }
}
