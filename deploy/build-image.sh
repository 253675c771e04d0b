#!/usr/bin/env bash
# Builds the image of deploy/Dockerfile where there is neither a container engine nor a registry of images: on Debian, as root, with buildah and chroot, from
# Debian's packages and this machine's Node.js.
#   deploy/build-image.sh                                      the image localhost/overheard
#   deploy/build-image.sh run node dist/cli.js admin --help    a program of it, in the network and with the variables (--env NAME) of this machine
set -euo pipefail
cd "$(dirname "$0")/.."

if [[ $EUID -ne 0 ]]; then
  echo 'Only root can do this: it installs Debian packages and changes into the root folder of the image.' >&2
  exit 1
fi

work=$PWD/.local/image
mkdir -p "$work"
buildah() { command buildah --root "$work/store" --runroot "$work/run" --storage-driver vfs "$@"; }
export BUILDAH_ISOLATION=chroot

if [[ ${1:-} == run ]]; then
  shift
  options=()
  while [[ ${1:-} == --env ]]; do options+=(--env "$2=${!2}") && shift 2; done
  container=$(buildah from --signature-policy "$work/policy.json" --pull-never localhost/overheard)
  trap 'buildah rm "$container" > /dev/null' EXIT
  buildah run "${options[@]}" "$container" -- "$@"
  exit
fi

# Everything that is used is made here.
echo '{ "default": [{ "type": "insecureAcceptAnything" }] }' > "$work/policy.json"

missing=()
for tool in buildah mmdebstrap; do command -v "$tool" > /dev/null || missing+=("$tool"); done
if [[ ${#missing[@]} -gt 0 ]]; then
  apt-get update
  apt-get install --yes --no-install-recommends "${missing[@]}"
fi

# What node:…-slim is elsewhere: Debian with Node.js, npm and the user `node`.
if ! buildah inspect --type image localhost/overheard-base > /dev/null 2>&1; then
  node=$(realpath "$(command -v node)")
  npm=$(dirname "$(dirname "$(realpath "$(command -v npm)")")")
  mmdebstrap --variant=minbase --include=ca-certificates,libstdc++6 \
    --customize-hook="copy-in '$node' /usr/bin" \
    --customize-hook='mkdir --parents "$1/usr/lib/node_modules"' \
    --customize-hook="copy-in '$npm' /usr/lib/node_modules" \
    --customize-hook='ln --symbolic ../lib/node_modules/npm/bin/npm-cli.js "$1/usr/bin/npm"' \
    --customize-hook='ln --symbolic ../lib/node_modules/npm/bin/npx-cli.js "$1/usr/bin/npx"' \
    --customize-hook='chroot "$1" useradd --uid 1000 --create-home node' \
    bookworm "$work/base.tar"
  container=$(buildah from scratch)
  buildah add "$container" "$work/base.tar" /
  buildah commit --signature-policy "$work/policy.json" --rm "$container" localhost/overheard-base
  rm "$work/base.tar"
fi

# The registry of packages is reached as this machine reaches it: by its .npmrc, which may hold credentials, and by the authorities it trusts.
trap 'rm -f "$work/npmrc"' EXIT
install -m 600 /dev/null "$work/npmrc"
{ cat ~/.npmrc 2> /dev/null || true; echo cafile=/etc/ssl/certs/ca-certificates.crt; } > "$work/npmrc"
buildah build --signature-policy "$work/policy.json" --pull-never --format docker --build-arg BASE=localhost/overheard-base \
  --volume "$work/npmrc:/root/.npmrc:ro" --volume /etc/ssl/certs:/etc/ssl/certs:ro --tag localhost/overheard --file deploy/Dockerfile .
echo 'localhost/overheard is built; try: deploy/build-image.sh run node dist/cli.js admin --help'
