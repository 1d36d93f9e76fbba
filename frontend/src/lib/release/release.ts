/** Which version of the application a page is: its entry script, whose name holds a hash of its content. */
const ENTRY = /<script\b[^>]*\btype="module"[^>]*\bsrc="([^"]+)"/;

function ownEntry(): string | null {
  return document.querySelector('script[type="module"][src]')?.getAttribute('src') ?? null;
}

/** Whether the server has another version than the one that runs here. An unreachable server has none. */
export async function isOutdated(): Promise<boolean> {
  const own = ownEntry();
  if (own === null) return false; // a report kept as a file
  const answer = await fetch(new Request(new URL('/login', window.location.origin), { cache: 'no-cache' }));
  if (!answer.ok) return false;
  const [, entry] = ENTRY.exec(await answer.text()) ?? [];
  return entry !== undefined && entry !== own;
}
