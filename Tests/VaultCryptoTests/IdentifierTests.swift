import Testing

@testable import VaultCrypto

@Suite struct IdentifierTests {
    @Test(arguments: [0, 1, 15, 17, 32])
    func onlySixteenBytesNameSomething(_ count: Int) {
        let bytes = [UInt8](repeating: 1, count: count)
        #expect(VaultID(bytes) == nil)
        #expect(AccountID(bytes) == nil)
    }

    @Test func sixteenBytesComeBack() {
        let bytes = [UInt8](0..<16)
        #expect(VaultID(bytes)?.bytes == bytes)
        #expect(AccountID(bytes)?.bytes == bytes)
    }

    @Test func freshOnesDiffer() {
        #expect(Set((0..<100).map { _ in AccountID.random() }).count == 100)
        #expect(VaultID.random() != VaultID.random())
    }

    @Test func textIsLowerCaseHexadecimal() {
        let bytes: [UInt8] = [0, 1, 15, 16, 0xab, 0xff, 9, 10, 0, 0, 0, 0, 0, 0, 0, 0xf0]
        #expect(VaultID(unchecked: bytes).text == "00010f10abff090a00000000000000f0")
    }
}
