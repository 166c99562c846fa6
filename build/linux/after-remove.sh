#!/bin/sh
# After the files are gone. What Holdfast keeps for a person lies in that person's folder and stays,
# even after a purge: holdfast data remove deletes it, before the package is removed.
set -e

case "$1" in
  remove | purge)
    if [ -f /etc/apparmor.d/holdfast ]; then
      if [ -d /sys/kernel/security/apparmor ] && command -v apparmor_parser >/dev/null 2>&1; then
        apparmor_parser --remove /etc/apparmor.d/holdfast >/dev/null 2>&1 || true
      fi
      rm -f /etc/apparmor.d/holdfast
    fi
    ;;
esac
