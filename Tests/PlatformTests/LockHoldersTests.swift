import Testing

@testable import Platform

@Suite struct LockHoldersTests {
    private static let table = """
        1: POSIX  ADVISORY  READ 708 fd:01:131 1073741826 1073742335
        2: POSIX  ADVISORY  WRITE 709 fd:01:131 1073741825 1073741825
        2: -> POSIX  ADVISORY  WRITE 710 fd:01:131 1073741824 1073741824
        3: OFDLCK ADVISORY  WRITE -1 fd:01:131 0 0
        4: FLOCK  ADVISORY  WRITE 711 fd:01:131 0 EOF
        5: POSIX  ADVISORY  READ 712 fd:02:131 1073741826 1073742335
        6: POSIX  ADVISORY  READ 713 fd:01:132 1073741826 1073742335
        7: POSIX  ADVISORY  READ
        8: POSIX  ADVISORY  READ x fd:01:131 0 0
        """

    @Test func onlyTheLocksThatAFileHasCount() {
        let holders = LockHolders.holders(
            of: 131,
            on: FileStatus.Device(major: 0xfd, minor: 1),
            in: Self.table
        )
        #expect(
            holders == [
                LockHolders.Holder(process: 708, isWriting: false),
                LockHolders.Holder(process: 709, isWriting: true),
            ]
        )
    }

    @Test func aFileThatIsNotThereIsHeldByNobody() {
        #expect(LockHolders.first(of: "/nowhere/at/all") == nil)
    }
}
