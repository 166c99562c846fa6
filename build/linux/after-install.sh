#!/bin/sh
# After the files are in place. Never stops an instance that runs: its work goes on, and the next
# start uses the new version.
set -e

sandbox=/opt/Holdfast/chrome-sandbox
clone=/proc/sys/kernel/unprivileged_userns_clone
most=/proc/sys/user/max_user_namespaces

# Chromium's sandbox uses user namespaces. Where the kernel allows them to root alone, its helper
# needs the right itself.
if [ "$(cat "$clone" 2>/dev/null || echo 1)" = 0 ] || [ "$(cat "$most" 2>/dev/null || echo 1)" = 0 ]; then
  chmod 4755 "$sandbox"
else
  chmod 0755 "$sandbox"
fi

# Ubuntu 24.04 and later allow user namespaces to programs with a profile. An older AppArmor does not
# know this syntax and does not need it.
profile=/opt/Holdfast/resources/apparmor-profile
if [ -f "$profile" ] && command -v apparmor_parser >/dev/null 2>&1 &&
  apparmor_parser --skip-kernel-load --debug "$profile" >/dev/null 2>&1; then
  cp -f "$profile" /etc/apparmor.d/holdfast
  if [ -d /sys/kernel/security/apparmor ]; then
    apparmor_parser --replace --write-cache --skip-read-cache /etc/apparmor.d/holdfast || true
  fi
fi
