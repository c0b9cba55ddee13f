#!/bin/sh
# What becomes of an agent that is installed, one line a step; to be run by user-manager.sh.
#
# installed-agent.sh TOKEN-ENDPOINT, with token responses in /srv/dead and /srv/good.
set -u
unit=vault-agent.service
state() { systemctl --user is-active "$1"; }
main() { systemctl --user show --property=MainPID --value "$unit"; }
say() { echo "$1: $2"; }
# Waits up to ten seconds for something to be so.
wait_for() {
    tries=0
    until "$@" >/dev/null 2>&1 || [ $tries -gt 100 ]; do
        sleep 0.1
        tries=$((tries + 1))
    done
}
has_settled() { [ "$(state $unit)" != deactivating ]; }

vault init --key-file >/dev/null 2>&1
cat >/srv/hook <<'END'
#!/usr/bin/env python3
import json, os, sys
told = json.load(sys.stdin)
with open(os.environ["VAULT_HOME"] + "/told", "a") as file:
    file.write(told["event"] + " " + told["account"] + "\n")
END
chmod 700 /srv/hook
(umask 077; echo '{"on_event": "/srv/hook"}' >/srv/vault/config.json)

# One that was started otherwise makes way.
vault agent start 2>/dev/null
vault agent install 2>/srv/words
say install $?
say words "$(grep -c enable-linger /srv/words)"
say service "$(state $unit)"
say socket "$(state vault-agent.socket)"
say owner "$(vault agent status | cut -d' ' -f3 | tr -d ,)=$(main)"
vault agent install 2>/dev/null
say again "$?, $(state $unit)"
say sandbox "$(systemctl --user show --property=NoNewPrivileges --value $unit)"

systemctl --user reload $unit
reloaded=$?
wait_for grep '"what":"reloaded"' /srv/vault/agent.log
say reload "$reloaded $(grep -c '"what":"reloaded"' /srv/vault/agent.log)"

vault add dead --token-endpoint "$1" --client-id test-public </srv/dead 2>/dev/null
vault refresh dead >/dev/null 2>&1
say refused $?
wait_for test -s /srv/vault/told
say hook "$(cat /srv/vault/told)"

vault add good --token-endpoint "$1" --client-id test-public </srv/good 2>/dev/null
vault refresh good >/dev/null 2>&1
say renewed $?

vault agent stop 2>/dev/null
stopped=$?
wait_for has_settled
say stop "$stopped $(state $unit) $(state vault-agent.socket)"
vault agent stop 2>/dev/null
say stopped "$? $(state $unit)"
# The first connection starts it.
vault refresh good >/dev/null 2>&1
say activated "$? $(state $unit)"
systemctl --user stop vault-agent.socket $unit 2>/dev/null
say gone "$(test -e /srv/vault/agent.sock; echo $?)"
# On demand it is the unit that is started.
vault refresh good >/dev/null 2>&1
say ondemand "$? $(state $unit)"

# A second vault, at a place that takes some escaping.
export VAULT_HOME="/srv/other vault-%u"
vault init --key-file >/dev/null 2>&1
vault agent install 2>/dev/null
say second "$? $(systemctl --user list-units --plain --no-legend 'vault-agent@*.service' | grep -c ' active ')"
vault agent status >/dev/null
say answers $?
vault agent uninstall 2>/dev/null
say uninstall "$? $(ls /srv/home/.config/systemd/user | grep -c @)"
unset VAULT_HOME
say first "$(state $unit)"
vault agent uninstall 2>/dev/null
say rest "$? $(find /srv/home/.config/systemd/user -name 'vault-agent*' | wc -l) $(state $unit)"
