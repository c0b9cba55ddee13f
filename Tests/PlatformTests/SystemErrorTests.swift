import Glibc
import Testing

@testable import Platform

@Suite struct SystemErrorTests {
    @Test func aNegativeResultIsAnErrno() {
        #expect(throws: SystemError.accessDenied) { try SystemError.check(Int32(-EACCES)) }
        #expect(throws: SystemError.notFound) { try SystemError.check(Int64(-ENOENT)) }
    }

    @Test(arguments: [0, 1, Int32.max])
    func everyOtherResultIsPassedOn(_ result: Int32) throws {
        #expect(try SystemError.check(result) == result)
    }

    @Test func itSaysWhatTheCLibrarySays() {
        #expect(SystemError.notFound.description == "No such file or directory")
        #expect("\(SystemError(number: 9999))".contains("9999"))
    }
}
