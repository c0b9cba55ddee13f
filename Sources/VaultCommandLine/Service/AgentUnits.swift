internal import Platform
internal import VaultKit
internal import VaultStore

/// The user units of one vault's agent: `vault-agent` for the vault of this user's own place, an
/// instance of the template `vault-agent@` for any other.
struct AgentUnits: Sendable, Equatable {
    /// The first line of a unit that is ours to change and to remove.
    static let marker = "# Written by `vault agent install`; `vault agent uninstall` removes it."

    /// One file of systemd's.
    struct File: Sendable, Equatable {
        let name: String
        let text: String
    }

    /// What systemd calls them.
    let service: String
    let socket: String
    let files: [File]

    /// The units of a vault that this user has without saying which, or of any other.
    init(_ location: VaultLocation, program: String, isOwn: Bool) {
        let directory = location.directory
        let instance = UnitText.instance(directory)
        let name = isOwn ? "vault-agent" : "vault-agent@"
        service = isOwn ? "vault-agent.service" : "vault-agent@\(instance).service"
        socket = isOwn ? "vault-agent.socket" : "vault-agent@\(instance).socket"
        files = [
            File(
                name: name + ".service",
                text: Self.service(
                    program: program,
                    socket: isOwn ? "vault-agent.socket" : "vault-agent@%i.socket",
                    home: isOwn ? UnitText.quoted("VAULT_HOME=" + directory) : "VAULT_HOME=%f",
                    directory: isOwn ? UnitText.quoted(directory) : "%f"
                )
            ),
            File(
                name: name + ".socket",
                text: Self.socket(isOwn ? UnitText.specified(directory) : "%f")
            ),
        ]
    }

    /// What keeps a vault from having units; nil when nothing does.
    static func problem(with location: VaultLocation) -> String? {
        let directory = location.directory
        if ["/tmp/", "/var/tmp/"].contains(where: { (directory + "/").hasPrefix($0) }) {
            return "a vault under /tmp does not outlast a restart of the machine"
        }
        if directory.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7f })
            || directory.hasSuffix(" ")
        {
            return "systemd has no way to write the path of this vault"
        }
        // sun_path of unix(7), with a zero at its end.
        if location.socket.utf8.count > 107 {
            return "the path of this vault is too long for systemd to listen in"
        }
        return nil
    }

    // Hooks run inside: no MemoryDenyWriteExecute=, which their interpreters need, and no
    // ProtectHome=, below which vaults and programs are.
    private static func service(
        program: String,
        socket: String,
        home: String,
        directory: String
    ) -> String {
        """
        \(marker)
        [Unit]
        Description=Agent of the vault for OAuth tokens
        Requires=\(socket)
        After=\(socket)

        [Service]
        Type=notify
        ExecStart=\(UnitText.quotedArgument(program))
        ExecReload=/bin/kill -HUP $MAINPID
        Environment=\(home)
        Restart=on-failure
        RestartSec=5
        TimeoutStartSec=60
        TimeoutStopSec=120
        KillMode=mixed
        UMask=0077
        LimitCORE=0
        LimitNOFILE=1024:524288
        NoNewPrivileges=yes
        PrivateTmp=yes
        ProtectSystem=strict
        ReadWritePaths=\(directory)
        LockPersonality=yes
        RestrictRealtime=yes
        RestrictSUIDSGID=yes
        RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK
        SystemCallArchitectures=native

        [Install]
        WantedBy=default.target
        Also=\(socket)

        """
    }

    private static func socket(_ directory: String) -> String {
        """
        \(marker)
        [Unit]
        Description=Socket of the agent of the vault for OAuth tokens

        [Socket]
        ListenStream=\(directory)/\(VaultLocation.socketName)
        SocketMode=0600
        DirectoryMode=0700
        FileDescriptorName=agent
        RemoveOnStop=yes

        [Install]
        WantedBy=sockets.target

        """
    }
}
