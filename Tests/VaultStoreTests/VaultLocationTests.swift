internal import Glibc
import Testing

@testable import VaultStore

/// Each in a process of its own: the environment belongs to all of it.
@Suite struct VaultLocationTests {
    /// Variables that are set, and the directory they lead to.
    struct Row: Sendable, Codable, CustomTestStringConvertible {
        var home: String?
        var data: String?
        var vault: String?
        let directory: String?

        var testDescription: String { "\(vault ?? "-") \(data ?? "-") \(home ?? "-")" }
    }

    @Test(arguments: [
        Row(home: "/h", data: "/d", vault: "/v", directory: "/v"),
        Row(home: "/h", data: "/d", directory: "/d/vault"),
        Row(home: "/h", data: "relative", directory: "/h/.local/share/vault"),
        Row(home: "/h", data: "", vault: "", directory: "/h/.local/share/vault"),
        Row(home: "/h", directory: "/h/.local/share/vault"),
        Row(directory: nil),
    ])
    func theFirstVariableThatIsSetDecides(_ row: Row) async {
        await #expect(processExitsWith: .success) { [row = row as Row] in
            let variables = [
                ("HOME", row.home), ("XDG_DATA_HOME", row.data), ("VAULT_HOME", row.vault),
            ]
            for (name, value) in variables {
                if let value { setenv(name, value, 1) } else { unsetenv(name) }
            }
            #expect(VaultLocation.fromEnvironment()?.directory == row.directory)
        }
    }

    @Test func aRelativeDirectoryIsThatOfTheMoment() async {
        await #expect(processExitsWith: .success) {
            chdir("/usr")
            let location = VaultLocation(directory: "share")
            chdir("/")
            #expect(location.database == "/usr/share/vault.db")
        }
    }
}
