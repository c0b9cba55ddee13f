/// The stage's vault as one that is not under /tmp, where an agent is not installed.
extension Stage {
    /// Runs `vault` in a mount namespace of its own, in which the stage is /srv.
    func vaultElsewhere(_ words: String...) throws -> Ended {
        let line = """
            mount --rbind "$1" /srv && shift && export VAULT_HOME= XDG_DATA_HOME=/srv \
            XDG_STATE_HOME=/srv/state HOME=/srv/home && exec "$@"
            """
        return try system(
            "unshare",
            [
                "--user", "--map-root-user", "--mount", "--propagation", "private", "sh", "-c",
                line, "sh", root, try Programs.vault(),
            ] + words
        )
    }
}
