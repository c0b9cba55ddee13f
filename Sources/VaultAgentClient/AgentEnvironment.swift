/// What the agent knows of the environment it is started in.
package enum AgentEnvironment {
    /// The variables it keeps: nothing that could direct its requests or what they are encrypted
    /// with.
    ///
    /// Proxies and certificates belong to accounts, and libcurl writes the keys of its connections
    /// into the file that SSLKEYLOGFILE names.
    package static let names = [
        "HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "TZ", "PATH", "XDG_CONFIG_HOME",
        "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR", "TMPDIR", "VAULT_HOME",
        "CREDENTIALS_DIRECTORY",
    ]
}
