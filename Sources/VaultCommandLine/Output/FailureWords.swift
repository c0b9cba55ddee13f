/// The words for an error, for a program that is not `vault` itself.
package struct FailureWords: Sendable {
    package let line: String
    package let hint: String?
    package let exitCode: Int32

    /// The same words that `vault` has for it.
    package init(_ error: any Error) {
        self.init(ErrorReport(error))
    }

    /// An option that the program does not take.
    package init(unknownOption option: String) {
        self.init(ErrorReport(UsageError.unknownOption(option, nearest: nil), helpPage: "agent"))
    }

    /// An option that was given twice.
    package init(repeatedOption option: String) {
        self.init(ErrorReport(UsageError.repeatedOption(option), helpPage: "agent"))
    }

    /// An option without the number of a descriptor.
    package init(notADescriptor option: String) {
        self.init(ErrorReport(UsageError.notADescriptor(option: option), helpPage: "agent"))
    }

    private init(_ report: ErrorReport) {
        line = report.line
        hint = report.hint
        exitCode = report.exitCode.rawValue
    }
}
