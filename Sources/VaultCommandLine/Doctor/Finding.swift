/// What one look at the vault or its surroundings came to.
struct Finding: Sendable, Equatable {
    /// How bad it is.
    enum Level: String, Sendable {
        case ok
        /// It works, and may not for long or not as expected.
        case warning
        /// Something does not work.
        case problem
    }

    /// What was looked at, in a word.
    let check: String
    let level: Level
    let text: String
    /// The command that mends it.
    let hint: String?
    /// What the program ends with for this alone.
    let exitCode: ExitCode

    static func ok(_ check: String, _ text: String) -> Finding {
        Finding(check: check, level: .ok, text: text, hint: nil, exitCode: .ok)
    }

    static func warning(_ check: String, _ text: String, hint: String? = nil) -> Finding {
        Finding(check: check, level: .warning, text: text, hint: hint, exitCode: .ok)
    }

    static func problem(
        _ check: String,
        _ text: String,
        hint: String? = nil,
        _ exitCode: ExitCode = .failure
    ) -> Finding {
        Finding(check: check, level: .problem, text: text, hint: hint, exitCode: exitCode)
    }

    /// A problem in the words that any command has for the error.
    static func problem(_ check: String, _ error: any Error) -> Finding {
        let report = ErrorReport(error)
        let exitCode: ExitCode =
            [.damaged, .unsafePermissions].contains(report.exitCode) ? report.exitCode : .failure
        return problem(check, report.line, hint: report.hint, exitCode)
    }
}

/// The problems that the doctor found, after they were shown.
struct DoctorFindings: Error {
    let problems: Int
    let exitCode: ExitCode

    /// Nil where there is no problem; else what others can reach comes before what is damaged.
    init?(_ findings: [Finding]) {
        let problems = findings.filter { $0.level == .problem }
        guard !problems.isEmpty else { return nil }
        self.problems = problems.count
        let codes = problems.map(\.exitCode)
        exitCode = [.unsafePermissions, .damaged].first(where: codes.contains) ?? .failure
    }
}
