#!/usr/bin/env bash
# Install what pip cannot: LibreOffice (Writer, headless) and a Java runtime. Only missing packages, only on Debian and
# Ubuntu, and only as root or through sudo without a password. Elsewhere the script prints what to install and fails.
set -euo pipefail

python=${PYTHON:-python3}
if ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
    echo "setup: $python is missing or older than 3.11. Install Python 3.11 or later and run make PYTHON=/path/to/python3." >&2
    exit 1
fi

missing=()
command -v soffice >/dev/null || missing+=(libreoffice-writer-nogui)
command -v java >/dev/null || missing+=(openjdk-17-jre-headless)
"$python" -c 'import ensurepip, venv' 2>/dev/null || missing+=(python3-venv)
[ ${#missing[@]} -eq 0 ] && exit 0

as_root=()
if [ "$(id -u)" -ne 0 ]; then
    if ! sudo -n true 2>/dev/null; then
        echo "setup: missing: ${missing[*]}. Install them (soffice and java must be on PATH), then run make again." >&2
        exit 1
    fi
    as_root=(sudo -n)
fi
if ! command -v apt-get >/dev/null; then
    echo "setup: missing: ${missing[*]} (Debian's names). Install them with your system's packages, then run make again." >&2
    exit 1
fi
echo "setup: installing ${missing[*]}"
"${as_root[@]}" apt-get update -qq
# The headless package exists from Debian 12 and Ubuntu 22.04 on. Older systems have the full Writer.
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends "${missing[@]}" >/dev/null ||
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends \
        "${missing[@]/libreoffice-writer-nogui/libreoffice-writer}" >/dev/null
