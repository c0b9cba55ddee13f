import Glibc

/// Searches everything a stage shows to others for secrets.
struct LeakSearch {
    private(set) var canaries: [Canary]

    init(for canaries: [Canary]) {
        self.canaries = canaries
    }

    mutating func add(_ canary: Canary) {
        canaries.append(canary)
    }

    func leaks(_ channel: Channel, _ bytes: [UInt8], at place: String) -> [Leak] {
        canaries.compactMap { canary in
            canary.form(in: bytes, of: place).map {
                Leak(channel: channel, canary: canary.name, form: $0, place: place)
            }
        }
    }

    /// What commands said, but for the outputs that exist to be secret.
    func output(of history: [Ended]) -> [Leak] {
        history.flatMap { ended -> [Leak] in
            let said = ended.words.joined(separator: " ")
            let allowed = ended.code == 0 ? AllowedOutput.canaries(of: Array(ended.words)) : []
            return leaks(.standardOutput, ended.stdout, at: said)
                .filter { !allowed.contains($0.canary) }
                + leaks(.standardError, ended.stderr, at: said)
        }
    }

    /// Every file of the stage, but for what the test itself wrote down.
    func files(of stage: Stage) throws -> [Leak] {
        try Files.tree(stage.root).filter { !$0.hasPrefix(stage.notes) }.flatMap { path in
            leaks(.file, Array(path.utf8), at: path)
                + (try leaks(.file, Files.read(path), at: path))
        }
    }

    /// The arguments and environments of the stage's processes that run now.
    func processes(of stage: Stage) throws -> [Leak] {
        try RunningProcess.all(of: stage).flatMap { process in
            leaks(.argument, process.arguments, at: process.name)
                + leaks(.environment, process.environment, at: process.name)
        }
    }

    /// What traced processes wrote, and were started with.
    func leaks(in calls: [SystemCall], of stage: Stage) -> [Leak] {
        calls.flatMap { call -> [Leak] in
            switch call.name {
            case "execve":
                leaks(.argument, call.arguments, at: call.program)
                    + leaks(.environment, call.environment, at: call.program)
            default:
                if call.isAnswer(of: stage) {
                    leaks(.answer, call.bytes, at: "agent").filter {
                        !AllowedOutput.answers.contains($0.canary)
                    }
                } else {
                    call.isForOthers(stage) ? leaks(.write, call.bytes, at: call.target) : []
                }
            }
        }
    }
}

/// The verbs whose purpose is to show a secret on standard output, and which one.
enum AllowedOutput {
    /// In the agent's answers.
    static let answers: Set<String> = ["access token", "token, code or secret"]

    static func canaries(of words: [String]) -> Set<String> {
        switch words.first {
        case "token": ["access token", "token, code or secret"]
        case "init", "key": ["recovery key"]
        case "export" where words.contains("--plaintext"):
            ["access token", "refresh token", "client secret", "token, code or secret"]
        default: []
        }
    }
}
