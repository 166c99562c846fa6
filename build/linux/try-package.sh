#!/bin/bash
# Tries the installers on a copy of this system in memory: nothing of it is left. Called by
# build/try-package.mjs in a mount namespace of its own.
#   try-package.sh BEFORE.deb NEW.deb NEW.tar.gz NEW.AppImage VERSION_BEFORE VERSION
set -euo pipefail
before=$1 deb=$2 tarball=$3 appimage=$4 version_before=$5 version=$6

if [ "${HOLDFAST_TRY_INSIDE:-}" != 1 ]; then
  mount --make-rprivate /
  copy=$(mktemp -d)
  mount -t tmpfs -o size=8g none "$copy"
  mkdir "$copy/changed" "$copy/work" "$copy/root"
  mount -t overlay overlay -o "lowerdir=/,upperdir=$copy/changed,workdir=$copy/work" "$copy/root"
  for part in dev sys; do mount --rbind "/$part" "$copy/root/$part"; done
  mount -t proc proc "$copy/root/proc"
  # Its /tmp is its own: what is to be tried and this file go where they are still found.
  mkdir "$copy/root/try"
  cp "$0" "$before" "$deb" "$tarball" "$appimage" "$copy/root/try"
  cd "$copy/root"
  mkdir -p old-root
  # Not chroot: the kernel refuses user namespaces, and so the sandbox, inside one.
  pivot_root . old-root
  umount -l /old-root
  mount -t tmpfs -o mode=1777 none /tmp
  cd /try
  HOLDFAST_TRY_INSIDE=1 exec bash "/try/$(basename "$0")" "/try/$(basename "$before")" \
    "/try/$(basename "$deb")" "/try/$(basename "$tarball")" "/try/$(basename "$appimage")" \
    "$version_before" "$version"
fi

person=holdfast-try
home=/home/$person
useradd --create-home --shell /bin/bash "$person"
ok() { printf 'ok: %s\n' "$*"; }
fail() { printf 'NOT ok: %s\n' "$*" >&2; exit 1; }
as() {
  # Without a system bus Chromium complains at each start.
  su "$person" 2> >(grep -v 'bus.cc\|viz_main' >&2) -c "export HOME=$home XDG_CONFIG_HOME=$home/.config HOLDFAST_NO_RELAUNCH=1 LANG=C.UTF-8 \
    PATH=$home/.local/bin:\$PATH DISPLAY=${display:-}; cd; $*"
}
until_true() {
  for _ in $(seq 1 600); do
    if eval "$1" >/dev/null 2>&1; then return 0; fi
    sleep 0.1
  done
  as 'tail -n 20 .holdfast/logs/*.log' || true
  fail "waited 60 s for: $1"
}
running() { as "holdfast status --json" | grep -q '"phase": *"running"'; }
stopped() { ! as "holdfast status --json" | grep -q '"phase": *"running"'; }

# What the tools of the distribution say about it.
lintian --fail-on error,warning --tag-display-limit 0 "$deb" || fail 'lintian'
ok 'lintian'
mkdir /tmp/deb && dpkg-deb -x "$deb" /tmp/deb
desktop-file-validate /tmp/deb/usr/share/applications/holdfast.desktop && ok 'desktop-file-validate'
appstreamcli validate --no-net /tmp/deb/usr/share/metainfo/dev.holdfast.app.metainfo.xml && ok 'appstreamcli'

# The version before, at work.
dpkg -i "$before" >/dev/null
[ "$(as 'holdfast --version')" = "$version_before" ] || fail 'holdfast is not on the PATH'
ok "installed $version_before, holdfast is on the PATH"
exec 3< <(exec Xvfb -displayfd 1 -screen 0 1280x800x24 -nolisten tcp 2>/dev/null)
read -r number <&3
display=:$number
as 'holdfast --hidden >app.log 2>&1' &
until_true running
ok "started $version_before in the tray"
as 'holdfast config set app.start_at_login true' >/dev/null
until_true "test -f $home/.config/autostart/holdfast.desktop"
desktop-file-validate "$home/.config/autostart/holdfast.desktop" && ok 'autostart entry is valid'
task='holdfast send "Read the practice folder and write notes.md"'
for _ in 1 2; do as "$task" >/dev/null; done

# Upgraded while it works: the one that runs goes on, the next start is the new one.
dpkg -i "$deb" >/dev/null
as 'holdfast status' >/dev/null && ok 'the old instance answers the new command'
[ "$(as 'holdfast --version')" = "$version" ] || fail 'the command is not the new one'
# However long the upgrade took, this one is at work when the old instance stops.
turns=3
as "$task" >/dev/null
as 'holdfast stop' | tee /tmp/stopped
until_true stopped
grep -Eq 'resumes? at the next start' /tmp/stopped || fail 'no work was open'
ok 'stopped with open work'
as 'holdfast --hidden >>app.log 2>&1' &
until_true running
all_completed() { [ "$(as 'holdfast turns list --json' | grep -c '"state": *"completed"')" = "$turns" ]; }
until_true all_completed
for turn in $(seq "$turns"); do
  [ "$(as "holdfast turns show $turn" | grep -c files.write_file)" = 1 ] || fail "turn $turn wrote twice"
done
ok "upgraded to $version: the open turns were completed, nothing twice"

# Links of ours.
[ "$(as 'xdg-mime query default x-scheme-handler/holdfast')" = holdfast.desktop ] || fail 'handler of holdfast:'
as 'timeout 20 xdg-open holdfast://open/sessions' && running && ok 'holdfast:// opens the app that runs'

# What a person types.
as 'man -w holdfast' >/dev/null && ok 'man page'
as "bash -c 'source /usr/share/bash-completion/completions/holdfast && complete -p holdfast'" && ok 'completion for bash'
zsh -n /usr/share/zsh/vendor-completions/_holdfast && ok 'completion for zsh'
fish -n /usr/share/fish/vendor_completions.d/holdfast.fish && ok 'completion for fish'
XDG_RUNTIME_DIR=/tmp systemd-analyze verify --user --man=no /usr/lib/systemd/user/holdfast.service 2>&1 | tee /tmp/verify
if grep -q holdfast /tmp/verify; then fail 'systemd-analyze verify'; fi
ok 'systemd-analyze verify'
dpkg --verify holdfast && ok 'dpkg --verify'

# Away with it.
as 'holdfast stop' >/dev/null
until_true stopped
dpkg -r holdfast >/dev/null
if [ -e /usr/bin/holdfast ] || [ -e /opt/Holdfast ]; then fail 'files are left after the removal'; fi
dpkg -P holdfast 2>/dev/null || true
if dpkg-query -W holdfast >/dev/null 2>&1; then fail 'dpkg still knows it'; fi
[ -f "$home/.holdfast/holdfast.db" ] || fail 'the data of the person is gone'
[ -e "$(sed -n 's/^TryExec=//p' "$home/.config/autostart/holdfast.desktop")" ] && fail 'autostart would fail'
ok 'removed and purged: nothing left but the data of the person'

# Without installing.
cp "$tarball" /tmp/holdfast.tar.gz
as "mkdir -p app .local/bin && tar -xzf /tmp/holdfast.tar.gz -C app && ln -s ~/app/holdfast-$version/holdfast .local/bin/holdfast"
[ "$(as 'holdfast --version')" = "$version" ] || fail 'tar.gz'
as 'holdfast --hidden >>app.log 2>&1' &
until_true running
as 'holdfast stop' >/dev/null
until_true stopped
ok 'tar.gz: unpacked, linked, started, stopped'
cp "$appimage" "$home/Holdfast.AppImage"
chown "$person" "$home/Holdfast.AppImage"
as "ln -sf ~/Holdfast.AppImage .local/bin/holdfast"
[ "$(as 'holdfast --version')" = "$version" ] || fail 'AppImage'
as 'holdfast --hidden >>app.log 2>&1' &
until_true running
grep -q "Exec=$home/Holdfast.AppImage" "$home/.config/autostart/holdfast.desktop" || fail 'autostart of the AppImage'
as 'holdfast stop' >/dev/null
until_true stopped
ok 'AppImage: started, stopped, and the start at login names the file itself'
