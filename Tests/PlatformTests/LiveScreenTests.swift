import Testing

@testable import Platform

@Suite struct LiveScreenTests {
    @Test func aPictureIsDrawnOverTheOneBefore() {
        #expect(
            LiveScreen.picture(["a", "b"]) == "\u{1b}[Ha\u{1b}[K\r\nb\u{1b}[K\u{1b}[J"
        )
    }

    @Test func whatIsNoTerminalHasNoSize() {
        #expect(TerminalSize.of(-1) == nil)
    }
}
