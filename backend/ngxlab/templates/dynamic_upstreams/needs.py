"""What the dynamic-upstreams template needs of its hosts."""

from ngxlab.definition.schema.factors import LevelValue
from ngxlab.templates.needs import AnotherHost, Need, NginxModule

_LUA = "Install libnginx-mod-http-lua there; the agent finds it."


def needs(values: dict[str, LevelValue]) -> list[Need]:
    """Tengine's modules have several names, so the checks before every run look for them instead."""
    all_needs: list[Need] = [
        NginxModule(slot="upstream", module="http_lua_module", why="The service sleeps by Lua.", remedy=_LUA),
        AnotherHost(
            slot="generator",
            why="The article's clients were on another server; here they take CPU that workers lack after each wait.",
            remedy="Choose another host for the slot generator.",
            must=False,
        ),
    ]
    if values["through"] == "lua":
        all_needs.insert(0, NginxModule(module="http_lua_module", why="Lua replaces dyups.", remedy=_LUA))
    return all_needs
