import FoundationEssentials
internal import Glibc
import Platform

/// A program that runs to its end.
enum ChildProcess {
    struct Result {
        let status: Int32
        let output: [UInt8]
        let errors: [UInt8]
    }

    /// Runs a program found by PATH, with files in `folder` for what it prints.
    static func run(_ words: [String], folder: String) throws -> Result {
        let outputs = ["stdout", "stderr"].map { "\(folder)/\($0)" }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        for (descriptor, path) in zip([1, 2] as [Int32], outputs) {
            let flags = O_WRONLY | O_CREAT | O_TRUNC
            posix_spawn_file_actions_addopen(&actions, descriptor, path, flags, 0o600)
        }
        let arguments = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var child: pid_t = 0
        let failure = posix_spawnp(&child, words[0], &actions, nil, arguments, environ)
        guard failure == 0 else { throw SystemError(number: failure) }
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0 {
            guard errno == EINTR else { throw SystemError(number: errno) }
        }
        return Result(
            status: status & 0x7f == 0 ? status >> 8 & 0xff : -(status & 0x7f),
            output: bytes(of: outputs[0]),
            errors: bytes(of: outputs[1])
        )
    }
}
