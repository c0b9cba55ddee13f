import FoundationEssentials
import Platform
import Testing
import VaultKit
import VaultStore

@testable import VaultCommandLine

@Suite struct AgentUnitTests {
    /// As systemd-escape --path has them.
    @Test(arguments: [
        ("/", "-"), ("/srv/vault", "srv-vault"), ("//srv//vault/", "srv-vault"),
        ("/home/me/.local/share/vault", "home-me-.local-share-vault"),
        ("/.hidden", "\\x2ehidden"), ("/a b", "a\\x20b"), ("/a-b", "a\\x2db"),
        ("/\u{e9}", "\\xc3\\xa9"), ("/a%\\", "a\\x25\\x5c"), ("/a:b_c", "a:b_c"),
    ])
    func instances(path: String, instance: String) {
        #expect(UnitText.instance(path) == instance)
    }

    @Test(arguments: [
        ("/a b", "\"/a b\""), ("/a%u", "\"/a%%u\""), ("/a\"\\", "\"/a\\\"\\\\\""),
    ])
    func words(text: String, quoted: String) {
        #expect(UnitText.quoted(text) == quoted)
    }

    @Test func aDollarSignInACommandIsNoVariable() {
        #expect(UnitText.quotedArgument("/a$b") == "\"/a$$b\"")
    }

    /// Sections, and the settings of each by name.
    private func read(_ text: String) -> [String: [String: String]] {
        var sections: [String: [String: String]] = [:]
        var section = ""
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            if line.hasPrefix("["), line.hasSuffix("]") {
                section = String(line.dropFirst().dropLast())
            } else if let equals = line.firstIndex(of: "=") {
                let name = String(line[..<equals])
                #expect(sections[section]?[name] == nil, "\(name) twice")
                sections[section, default: [:]][name] = String(line[line.index(after: equals)...])
            } else {
                Issue.record("no setting: \(line)")
            }
        }
        return sections
    }

    @Test func theUnitsOfTheOwnVaultNameIt() throws {
        let location = VaultLocation(directory: "/home/me/a $%b")
        let units = AgentUnits(location, program: "/opt/a $b/vault-agent", isOwn: true)
        #expect(units.files.map(\.name) == ["vault-agent.service", "vault-agent.socket"])
        let service = read(units.files[0].text)
        let socket = read(units.files[1].text)
        #expect(service["Service"]?["ExecStart"] == "\"/opt/a $$b/vault-agent\"")
        #expect(service["Service"]?["Environment"] == "\"VAULT_HOME=/home/me/a $%%b\"")
        #expect(service["Service"]?["ReadWritePaths"] == "\"/home/me/a $%%b\"")
        #expect(service["Unit"]?["Requires"] == units.socket)
        #expect(socket["Socket"]?["ListenStream"] == "/home/me/a $%%b/agent.sock")
        #expect(socket["Socket"]?["SocketMode"] == "0600")
    }

    @Test func theTemplateIsTheSameForEveryOtherVault() {
        let first = AgentUnits(VaultLocation(directory: "/a"), program: "/p", isOwn: false)
        let second = AgentUnits(VaultLocation(directory: "/b c"), program: "/p", isOwn: false)
        #expect(first.files == second.files)
        #expect(first.files.map(\.name) == ["vault-agent@.service", "vault-agent@.socket"])
        #expect(second.service == "vault-agent@b\\x20c.service")
        #expect(read(first.files[1].text)["Socket"]?["ListenStream"] == "%f/agent.sock")
    }

    /// No option goes to the program that it would have to follow, and what hardens it is there.
    @Test func theServiceIsHardened() {
        let units = AgentUnits(VaultLocation(directory: "/a"), program: "/p", isOwn: true)
        let service = read(units.files[0].text)["Service"] ?? [:]
        let wanted = [
            "Type": "notify", "NoNewPrivileges": "yes", "ProtectSystem": "strict",
            "PrivateTmp": "yes", "LockPersonality": "yes", "LimitCORE": "0", "KillMode": "mixed",
            "RestrictAddressFamilies": "AF_UNIX AF_INET AF_INET6 AF_NETLINK", "UMask": "0077",
            "ExecStart": "\"/p\"",
        ]
        for (name, value) in wanted { #expect(service[name] == value) }
    }

    @Test(arguments: [
        ("/tmp/vault", true), ("/var/tmp/a/vault", true), ("/home/a/tmp/vault", false),
        ("/home/a\nb", true), ("/home/a ", true), ("/" + String(repeating: "a", count: 110), true),
    ])
    func placesWithoutUnits(directory: String, isOne: Bool) {
        let problem = AgentUnits.problem(with: VaultLocation(directory: directory))
        #expect((problem != nil) == isOne)
    }
}

/// Row security 22: no option of an agent is passed over, wherever it is given.
@Suite struct AgentOptionTests {
    private static let actions = ["run", "start", "stop", "status", "install", "uninstall"]
    private static let options = [
        ["--allow-scope", "x"], ["--allow-scope=x"], ["--on-demand"], ["--ready-fd", "3"],
        ["--lifetime=1h"], ["--limit", "5"], ["-t", "60"], ["--vault-home=/x"], ["x"],
        ["--force=1"],
        ["--", "--force"], ["--force"], ["--force", "--force"],
    ]

    @Test(arguments: actions)
    func noOptionIsPassedOver(action: String) throws {
        for option in Self.options {
            for words in [[action] + option, option + [action]] {
                let isGood = action == "install" && option == ["--force"]
                var arguments = ArgumentReader(words)
                if isGood {
                    _ = try AgentCommand(&arguments)
                } else {
                    #expect(throws: UsageError.self, "\(words)") {
                        _ = try AgentCommand(&arguments)
                    }
                }
            }
        }
    }
}
