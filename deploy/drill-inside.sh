#!/bin/bash
# The part of drill.sh that runs in a network and a mount namespace of its own.
set -euo pipefail

site=game.example.org
ip link set lo up
say() { printf '\n-- %s\n' "$*"; }

# Run a command in an image as Docker would with --read-only: in_image NAME COMMAND…
in_image() {
  local image="$work/$1"; shift
  ${with:-} unshare --mount bash -ec '
    image=$1; shift
    mount --bind "$image" "$image"
    mount -o remount,bind,ro "$image"
    mount -t proc proc "$image/proc"
    mount --rbind /dev "$image/dev"
    mount -t tmpfs -o mode=1777 tmpfs "$image/tmp"
    mount --bind "$work/data" "$image/data"
    mount --bind "$work/cache" "$image/cache"
    exec chroot --userspec=10001:10001 "$image" sh -c ". /etc/image.env; exec \"\$@\"" sh "$@"
  ' sh "$image" "$@"
}

wait_for() {
  for _ in $(seq 150); do
    if curl --silent --fail --output /dev/null "$1"; then return; fi
    sleep 0.2
  done
  echo "$1 doesn't answer"; cat "$work/server.log"; exit 1
}

start() {  # start IMAGE OPTION…; the new image is configured by its environment
  local image=$1; shift
  # With exec, the process that is stopped later is the server itself.
  with=exec MANHATTAN_TRUSTED_PROXY=127.0.0.1 MANHATTAN_WARM_UP=false MANHATTAN_PUBLIC_METRICS=true \
    in_image "$image" manhattan serve "$@" > "$work/server.log" 2>&1 &
  server=$!
  wait_for http://127.0.0.1:8000/readyz
  kill -0 "$server"
}

stop() {
  kill -s "${1:-TERM}" "$server"
  wait "$server" || true
  if curl --silent --output /dev/null http://127.0.0.1:8000/healthz; then
    echo "The server has not stopped."; exit 1
  fi
}

play() { in_image "${player:-new}" env SSL_CERT_FILE=/tmp/ca.pem sh -c 'cat > /tmp/ca.pem; exec python3 -c "$0" "$@"' "$PLAYER" "$@" < "$work/ca.pem"; }

PLAYER=$(cat "$root/deploy/drill_player.py")
for image in old new proxy; do echo "127.0.0.1 localhost $site" > "$work/$image/etc/hosts"; done

say "nginx with a self-signed certificate"
proxy="$work/proxy"
mkdir -p "$proxy/etc/ssl/manhattan"
openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj "/CN=$site" -addext "subjectAltName=DNS:$site" \
  -keyout "$proxy/etc/ssl/manhattan/privkey.pem" -out "$proxy/etc/ssl/manhattan/fullchain.pem" 2> /dev/null
cp "$proxy/etc/ssl/manhattan/fullchain.pem" "$work/ca.pem"
cp "$root/deploy/proxy/nginx.conf" "$proxy/etc/nginx/sites-available/manhattan"
ln -sf ../sites-available/manhattan "$proxy/etc/nginx/sites-enabled/manhattan"
rm -f "$proxy/etc/nginx/sites-enabled/default"
mount --rbind /dev "$proxy/dev"
chroot "$proxy" nginx -t
chroot "$proxy" nginx
curl=(curl --silent --cacert "$work/ca.pem" --resolve "$site:443:127.0.0.1")

say "the old version: one finished game, one unfinished, a backup"
start old --host 127.0.0.1 --port 8000 --database /data/tables.db --trusted-proxy 127.0.0.1 --no-warm-up
player=old play open https://$site  # a program of the same version
in_image old manhattan backup /data/old.db --database /data/tables.db
stop

say "the upgrade: the same database, the games go on, through nginx"
start new
health=$(sed -n 's/^HEALTHCHECK.*"-c", "\(.*\)"]$/\1/p' "$root/deploy/Dockerfile")
in_image new python3 -c "$health"
play continue https://$site
test "$("${curl[@]}" --output /dev/null --write-out '%{http_code}' https://$site/metrics)" = 404
curl --silent http://127.0.0.1:8000/metrics | grep '^manhattan_moves_total'
# Behind TLS, cookies are marked.
"${curl[@]}" --dump-header "$work/headers" --output /dev/null --request PUT \
  --header 'Content-Type: application/json' --data '{"name": "Ida"}' https://$site/api/me
grep -i '^set-cookie:.*; secure' "$work/headers" | sed 's/=[^;]*/=…/'

say "backup, loss of the database, restoration"
in_image new manhattan backup /data/backup.db
stop KILL
rm "$work"/data/tables.db*
cp -p "$work/data/backup.db" "$work/data/tables.db"
start new
play check https://$site

say "Caddy instead of nginx"
chroot "$proxy" nginx -s stop
{ echo '{
	local_certs
	skip_install_trust
}'; cat "$root/deploy/proxy/Caddyfile"; } > "$proxy/etc/caddy/Caddyfile"
chroot "$proxy" env SITE=$site caddy validate --adapter caddyfile --config /etc/caddy/Caddyfile 2>&1 | tail -1
chroot "$proxy" env SITE=$site HOME=/srv XDG_DATA_HOME=/srv caddy run --config /etc/caddy/Caddyfile > "$work/caddy.log" 2>&1 &
caddy=$!
for _ in $(seq 50); do
  if [ -s "$proxy/srv/caddy/pki/authorities/local/root.crt" ]; then break; fi
  sleep 0.2
done
cp "$proxy/srv/caddy/pki/authorities/local/root.crt" "$work/ca.pem"
sleep 1
play open https://$site
test "$("${curl[@]}" --output /dev/null --write-out '%{http_code}' https://$site/metrics)" = 404
kill $caddy

say "the old version and the migrated database"
stop
in_image old manhattan backup /data/again.db --database /data/tables.db || echo "The old version refuses it: restore the backup to go back."
