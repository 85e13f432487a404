#!/bin/bash
# A drill of the kit without a container engine: the steps of the Dockerfile in an empty Debian, on
# a read-only file system, behind nginx and Caddy with TLS; whole games, an upgrade, a backup, the
# loss of the database and its restoration.
#
#   deploy/drill.sh OLD_COMMIT      as root; needs debootstrap, git and unshare
#
# WORK is the folder to work in (default: a new one in /tmp, which is removed afterwards).
# BINDS are folders of this computer that the build may read, such as a mirror of packages.
# BASE_HOOK is a command that prepares the empty Debian, for example with certificates.
set -euo pipefail

old=${1:?name the commit to upgrade from}
root=$(git rev-parse --show-toplevel)
work=${WORK:-$(mktemp -d)}
mkdir -p "$work"
cleanup() {
  for place in $(awk -v work="$work/" 'index($2, work) == 1 { print $2 }' /proc/mounts | sort -r); do
    umount --lazy "$place"
  done
  [ -n "${WORK:-}" ] || rm -rf "$work"
}
trap cleanup EXIT

say() { printf '\n== %s\n' "$*"; }

# Run the instructions of the Dockerfile for a commit: build_image COMMIT NAME
build_image() {
  local src="$work/$2-src" image="" name from="" word rest
  rm -rf "$src" && mkdir "$src"
  git -C "$root" archive "$1" | tar -x -C "$src"
  while read -r word rest; do
    case $word in
      FROM)
        name=$2; [[ $rest != *" AS "* ]] || name="$2-${rest##* AS }"
        image="$work/$name"
        cp -a "$work/base" "$image"
        mount -t proc proc "$image/proc"
        for folder in ${BINDS:-}; do
          mkdir -p "$image$folder" && mount --bind -o ro "$folder" "$image$folder"
        done ;;
      RUN) chroot "$image" sh -ec "$rest" >> "$work/build.log" 2>&1 ;;
      COPY)
        read -ra parts <<< "$rest"
        if [[ ${parts[0]} == --from=* ]]; then
          from="$work/$2-${parts[0]#--from=}"
          mkdir -p "$(dirname "$image${parts[2]}")" && cp -a "$from${parts[1]}" "$image${parts[2]}"
        else
          cp -a "$src" "$image${parts[1]}"
        fi ;;
      ENV) echo "export $rest" >> "$image/etc/image.env" ;;
    esac
  done < "$root/deploy/Dockerfile"
  for place in $(awk -v work="$work/$2" 'index($2, work) == 1 { print $2 }' /proc/mounts); do
    umount "$place"
  done
}

if [ ! -d "$work/base" ]; then
  say "an empty Debian"
  debootstrap --variant=minbase bookworm "$work/base" > "$work/debootstrap.log"
  printf '#!/bin/sh\nexit 101\n' > "$work/base/usr/sbin/policy-rc.d"  # start no services
  chmod +x "$work/base/usr/sbin/policy-rc.d"
  ${BASE_HOOK:-true} "$work/base"
fi
if [ ! -d "$work/proxy" ]; then
  say "a proxy"
  cp -a "$work/base" "$work/proxy"
  chroot "$work/proxy" sh -ec 'apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends nginx caddy openssl' >> "$work/build.log" 2>&1
fi
for name in old new; do
  [ ! -d "$work/$name" ] || continue
  commit=HEAD; [ $name = new ] || commit=$old
  say "the image of $commit"
  build_image "$commit" $name
  du -sh --one-file-system "$work/$name" | sed 's/\s.*/ is the size of the image/'
done

say "games, upgrade, backup and restoration in a network of its own"
rm -rf "$work/data" "$work/cache"
install -d -o 10001 -g 10001 "$work/data" "$work/cache"
export work root
unshare --net --mount --pid --fork --mount-proc bash -euo pipefail "$root/deploy/drill-inside.sh"
say "passed"
