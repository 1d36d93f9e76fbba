"""The designer in a browser: from nothing to a report, and what happens to mistakes, drafts and versions."""

import re
from collections.abc import Iterator
from uuid import uuid4

import pytest
from playwright.sync_api import Browser, Page, expect

from scripts.testbed.browser import cell, design_two_by_three, fill_plan, run_host_test, save_and_run, sign_in, write
from scripts.testbed.stack import Stack


@pytest.fixture
def page(stack: Stack, browser: Browser) -> Iterator[Page]:
    """Signed in; a test fails if the page threw anything."""
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    opened = sign_in(context, stack)
    problems: list[str] = []
    opened.on("pageerror", lambda error: problems.append(str(error)))
    yield opened
    context.close()
    assert problems == []


def test_a_design_from_nothing_is_checked_run_and_reported(stack: Stack, page: Page) -> None:
    design_two_by_three(page, "Two by three")
    fill_plan(page, Blocks="1", Warm_up="0", Measure="1", Cool_down="0")
    _matrix_by_keyboard(page)

    panel = run_host_test(page)
    expect(panel.get_by_text(re.compile("accepts every arm"))).to_be_visible()
    expect(panel.get_by_text(re.compile("accepted$"))).to_have_count(6)

    run_id = save_and_run(page)
    run = stack.wait_for_end(run_id, seconds=60)
    assert run["state"] == "completed"
    assert {trial["arm"] for trial in run["trials"]} == {
        f"mutex-{mutex}.{workers}" for mutex in ("off", "on") for workers in ("1-worker", "2-workers", "4-workers")
    }
    page.get_by_role("link", name="Open report").click()
    expect(page.get_by_role("region", name="Verdict")).to_be_visible()
    expect(page.get_by_role("heading", name=re.compile("^Two by three #1"))).to_be_visible()


def _matrix_by_keyboard(page: Page) -> None:
    """Down and right, off and on again, and the baseline, without the mouse; the preview follows."""
    first, last = cell(page, "Mutex off, 1 worker"), cell(page, "Mutex on, 4 workers")
    first.focus()
    for key in ("ArrowDown", "ArrowRight", "ArrowRight"):
        page.keyboard.press(key)
    expect(last).to_be_focused()
    page.keyboard.press("Space")
    expect(last).not_to_be_checked()
    trials = page.get_by_text(re.compile(r"1 block × 5 arms = 5 trials"))
    expect(trials).to_be_visible()
    page.keyboard.press("Space")
    expect(last).to_be_checked()
    expect(page.get_by_text(re.compile(r"1 block × 6 arms = 6 trials"))).to_be_visible()
    page.keyboard.press("b")
    expect(page.get_by_role("radio", name="Baseline: Mutex on, 4 workers")).to_be_checked()


def test_a_path_without_a_file_is_seen_before_the_run_and_asked_about_in_it(stack: Stack, page: Page) -> None:
    design_two_by_three(page, "No such file")
    write(page, "nginx.server", "location / {\n    root @@folder@@/files;\n}")
    fill_plan(page, Blocks="1", Warm_up="0", Measure="1", Cool_down="0")
    panel = run_host_test(page)
    expect(panel.get_by_text("6 first answers are not as declared")).to_be_visible()
    answers = panel.get_by_role("list", name="First answers of mutex-off.1-worker")
    expect(answers.get_by_text(re.compile(r"GET / → 404, text/html, \d+ B"))).to_be_visible()
    expect(answers).to_contain_text("status 404 is an error")

    run_id = save_and_run(page)
    question = page.get_by_role("alert").filter(has_text="Nothing but errors in a first trial")
    expect(question).to_be_visible(timeout=60_000)
    expect(question).to_contain_text("GET / -> 404, text/html")
    question.get_by_role("button", name="Go on").click()
    expect(question).to_be_hidden()
    assert stack.wait_for_end(run_id, seconds=60)["state"] == "completed"
    page.get_by_role("link", name="Open report").click()
    expect(page.get_by_text("nginx answers something else than was declared").first).to_be_attached()


def test_what_nginx_refuses_stands_at_its_line(page: Page) -> None:
    design_two_by_three(page, "Refused")
    # Only nginx itself knows the limits of this value.
    write(page, "nginx.server", 'location / {\n    return 200 "hello";\n}\ngzip_comp_level 99;')
    panel = run_host_test(page)
    expect(panel.get_by_text(re.compile("rejected$"))).to_have_count(6)
    note = page.locator('[data-field="nginx.server"] .cm-note')
    expect(note).to_contain_text("value must be between 1 and 9")
    expect(page.locator('[data-field="nginx.server"] .cm-noted')).to_have_text("gzip_comp_level 99;")


def test_a_problem_leads_to_its_field_and_drafts_outlive_a_reload(page: Page) -> None:
    design_two_by_three(page, "Half done")
    threads = page.get_by_role("textbox", name="Threads")
    threads.fill("3")
    problem = page.get_by_role("list", name="Problems").get_by_role(
        "button", name=re.compile("not a multiple of the 3")
    )
    expect(problem).to_be_visible()
    problem.click()
    expect(page.get_by_role("textbox", name="Connections", exact=True)).to_be_focused()
    page.wait_for_function("() => (sessionStorage['ngxlab.draft.new'] ?? '').includes('\"threads\":3')")
    page.on("dialog", lambda dialog: dialog.accept())  # the browser asks before it leaves
    page.reload()
    expect(page.get_by_text("Your unsaved draft was restored.")).to_be_visible()
    expect(threads).to_have_value("3")
    page.get_by_role("button", name="Discard draft").click()
    expect(page.get_by_role("textbox", name="Name", exact=True)).to_have_value("")


def test_what_is_mechanical_is_put_right_by_a_press_and_undone(page: Page) -> None:
    design_two_by_three(page, "From a file")
    write(page, "nginx.server", "root /var/www;\nlocation /api/ {\n    proxy_pass http://127.0.0.1:8080;\n}")
    problems = page.get_by_role("list", name="Problems")
    fixes = problems.get_by_role("button", name="Fix it")
    expect(fixes).to_have_count(2)
    fixes.first.click()
    expect(page.locator('[data-field="nginx.server"]')).to_contain_text("root @@folder@@/files;")
    expect(fixes).to_have_count(1)
    fixes.first.click()
    expect(page.locator('[data-field="nginx.server"]')).to_contain_text("proxy_pass http://app;")
    expect(page.locator('[data-field="nginx.http"]')).to_contain_text('{{ servers("app") }}')
    expect(problems).to_be_hidden()
    page.get_by_role("button", name="Undo", exact=True).first.click()
    expect(fixes).to_have_count(1)
    expect(page.locator('[data-field="nginx.server"]')).to_contain_text("proxy_pass http://127.0.0.1:8080;")


def test_what_is_wrong_with_a_draft_is_told_in_the_readers_language(stack: Stack, browser: Browser, page: Page) -> None:
    """Problems of the schema, of arms, of the list of directives, and of expressions."""
    context = browser.new_context(locale="zh-CN", storage_state=page.context.storage_state())
    reader = context.new_page()
    reader.goto(f"{stack.url}/experiments/new/blank")
    expect(reader.locator("html")).to_have_attribute("lang", "zh-Hans")
    for field, text in (("plan.blocks", "0"), ("streams.0.threads", "7"), ("streams.0.connections", "5")):
        reader.locator(f'input[data-field="{field}"]').fill(text)
    write(reader, "nginx.http", "include mime.types;\nupstream app { server 10.0.0.1; }")
    write(reader, "nginx.server", "return 200 {{ nobody }};")
    problems = reader.get_by_role("list", name="问题", exact=True).get_by_role("listitem")
    for told in (
        "必须至少为 1",
        "7 个线程多于 5 个连接",
        "第 1 行：http 中不允许 include：请直接写出这些指令",
        "第 2 行：server：只允许已声明的上游服务器",
        "第 1 行：'nobody' 未定义",
    ):
        expect(problems.filter(has_text=told)).to_have_count(1)
    expect(problems.locator("[lang=en]")).to_have_count(0)
    context.close()


def test_two_people_save_and_the_second_is_told(stack: Stack, page: Page) -> None:
    design_two_by_three(page, "Shared work")
    save = page.get_by_role("button", name="Save", exact=True)
    expect(page.get_by_text("The definition can be saved and run.")).to_be_visible()
    save.click()
    page.wait_for_url(re.compile("/design$"), timeout=60_000)
    expect(page.get_by_role("button", name="Undo")).to_be_enabled()  # it goes on in the same editor
    experiment = page.url.split("/")[-2]
    path = f"/experiments/{experiment}"
    definition = stack.api("GET", path)["definition"]
    definition["plan"]["blocks"] = 7
    stack.api("POST", f"{path}/editors", {"editor": str(uuid4()), "base_version": 1})
    stack.api("PUT", f"{path}/definition", {"base_version": 1, "definition": definition})
    page.evaluate("window.dispatchEvent(new Event('visibilitychange'))")  # as when one comes back to the tab
    header = page.get_by_role("banner").or_(page.locator("header")).filter(has_text="Shared work")
    expect(header.get_by_text(re.compile(r"version 2 was saved by \S+@\S+ (just now|\d+\ss ago)"))).to_be_visible()
    expect(header.get_by_text("you edit version 1 in another tab, too")).to_be_visible()
    header.get_by_role("button", name="Show what changed").click()
    expect(page.get_by_role("dialog").get_by_label("Version 1 to 2")).to_contain_text("+  blocks: 7")
    page.get_by_role("dialog").get_by_role("button", name="Continue editing").click()

    page.get_by_role("textbox", name="Measure").fill("3")
    expect(page.get_by_text(re.compile(r"3\ss measured"))).to_be_visible()
    page.get_by_role("button", name="Save version").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_text("You changed different fields.")).to_be_visible()
    expect(dialog.get_by_label("Version 1 to 2")).to_contain_text("+  blocks: 7")
    dialog.get_by_role("button", name="Save mine on top").click()
    expect(page.get_by_text("from version 3")).to_be_visible()
    latest = stack.api("GET", path)
    assert (latest["version"], latest["definition"]["plan"]["measure_s"]) == (3, 3)


def test_a_page_that_is_opened_by_its_address_begins_at_its_top(stack: Stack, page: Page) -> None:
    """Wherever the one before it in this tab was left."""
    page.goto(f"{stack.url}/experiments/new/reuseport")
    last = page.get_by_role("button", name="Create only")
    last.scroll_into_view_if_needed()
    page.wait_for_function("window.scrollY > 300")
    page.goto(f"{stack.url}/experiments/new/blank")
    expect(page.get_by_text("if started now")).to_be_attached()  # by then the page has its whole height
    assert page.evaluate("window.scrollY") == 0
