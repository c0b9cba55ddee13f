#!/bin/sh
# Runs a command under a systemd of this user's own: user-manager.sh ROOT COMMAND [ARGUMENT...]
#
# ROOT is seen as /srv. In a mount namespace with a control group of its own: nothing of it reaches
# the machine's. Ends with 77 where that cannot be had.
set -eu
if [ "${1-}" != --inside ]; then
    exec unshare --mount --propagation private "$0" --inside "$@"
fi
root=$2
shift 2
cannot() {
    echo "user-manager: $1" >&2
    exit 77
}
[ -e /sys/fs/cgroup/cgroup.procs ] || mount -t cgroup2 none /sys/fs/cgroup 2>/dev/null ||
    cannot "no control groups"
group=/sys/fs/cgroup/vault-test-$$
mkdir "$group" 2>/dev/null || cannot "no control group"
trap 'for left in "$group"/*/ "$group"; do rmdir "$left" 2>/dev/null || true; done' EXIT
mkdir "$group/outside"
mount --bind "$root" /srv || cannot "no bind mount"
mount -t tmpfs none /run || cannot "no tmpfs"
mkdir -p /run/systemd/system
mkdir -m 0700 /run/own
export HOME=/srv/home XDG_RUNTIME_DIR=/run/own XDG_DATA_HOME=/srv XDG_STATE_HOME=/srv/state
export TMPDIR=/srv/tmp PATH=/srv/bin:/usr/bin:/bin
unset VAULT_HOME XDG_CONFIG_HOME
sh -c 'echo $$ >"$0"/cgroup.procs; exec systemd --user --log-target=null' "$group" &
manager=$!
tries=0
until systemctl --user show-environment >/dev/null 2>&1; do
    tries=$((tries + 1))
    [ $tries -lt 100 ] && kill -0 $manager 2>/dev/null || cannot "no systemd of a user"
    sleep 0.1
done
status=0
"$@" || status=$?
systemctl --user exit >/dev/null 2>&1 || kill $manager
wait $manager || true
find "$group" -depth -type d -exec rmdir {} + 2>/dev/null || true
exit $status
