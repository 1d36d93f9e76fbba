"""A stand-in for Tengine with dyups: Debian's nginx, its dyups written in Lua, with the habits that matter here.

It answers ``-V`` with exit code 1, as Tengine before 2.3 does. It does not start without /etc/resolv.conf, which such a
build opens if its ``configure`` saw one. A call whose body is in memory and longer than 130 kB fails as dyups does:
"unexpected end of parameter".
"""

from pathlib import Path

MOST_IN_MEMORY = 130_000

_PROGRAM = r'''#!/usr/bin/python3
import os, re, sys

VERSION = """\
Tengine version: Tengine/3.2.0
nginx version: nginx/1.24.0
configure arguments: --prefix=/opt/tengine --with-http_stub_status_module --with-http_ssl_module \
--add-module=modules/ngx_http_upstream_dyups_module --add-module=modules/ngx_http_upstream_check_module
"""
LUA = """
content_by_lua_block {
    ngx.req.read_body()
    local body = ngx.req.get_body_data()
    if body and #body > %d then
        ngx.status = 500
        return ngx.say("unexpected end of parameter")
    end
    local path = ngx.req.get_body_file()
    if path then
        local file = io.open(path)
        body = file:read("*a")
        file:close()
    end
    ngx.req.set_body_data((body:gsub("check [^;]*;", "")))
    ngxlab_upstreams.upstream()
}
"""

if "-V" in sys.argv:
    sys.exit(VERSION)  # with code 1, as before 2.3
try:
    open("/etc/resolv.conf").close()
except OSError:
    sys.exit('nginx: [emerg] open() "/etc/resolv.conf" failed (2: No such file or directory)')
at = sys.argv.index("-c") + 1
with open(sys.argv[at]) as file:
    text = file.read()
folder = re.search(r"client_body_temp_path (\S+)/temp/", text)[1]
names = re.findall(r"set \$ngxlab_upstream_[0-9]+ (\S+);", text)
groups = "".join(
    "upstream %%s { server 0.0.0.1; balancer_by_lua_block { ngxlab_upstreams.balance('%%s') } }\n" %% (name, name)
    for name in names
)
api = """%s"""
set_up = (
    "lua_shared_dict ngxlab_upstreams 32m; init_by_lua_block { %%s\n"
    'ngxlab_upstreams.set_up { lock_path = "%%s/upstreams.lock", interval_s = 0.1, lock_us_per_node = 0, '
    "trylock = false } } init_worker_by_lua_block { ngxlab_upstreams.start() }\n" %% (api, folder)
)
text = re.sub(r"dyups_shm_zone_size \S+;", lambda _: set_up + groups, text)
text = re.sub(r"dyups_(read_msg_timeout|trylock) \S+;", "", text)
text = text.replace("dyups_interface;", "client_body_in_single_buffer on;" + LUA)
modules = "/usr/lib/nginx/modules/"
loads = "load_module %%sndk_http_module.so; load_module %%sngx_http_lua_module.so;\n" %% (modules, modules)
rewritten = sys.argv[at] + ".as-nginx"
with open(rewritten, "w") as file:
    file.write(loads + text)
sys.argv[at] = rewritten
os.execv("/usr/sbin/nginx", ["/usr/sbin/nginx", *sys.argv[1:]])
'''


def write_stand_in(path: Path, lua: str) -> str:
    """Write the program; ``lua``: ngxlab's own groups in Lua, by which it does what dyups does."""
    path.write_text(_PROGRAM % (MOST_IN_MEMORY, lua.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')))
    path.chmod(0o755)
    return str(path)
