import { t } from '@lingui/core/macro';

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

/** A part of the application that did not arrive: the server has another version of it, or cannot be reached. */
export class MissingCode extends Error {
  constructor(cause: unknown) {
    super(
      t`This part of ngxlab did not arrive. A newer version was installed, or the server cannot be reached.`,
      { cause },
    );
    this.name = 'MissingCode';
  }
}

/** A phone or a laptop that changes its network drops every request for a second or two. */
const RETRIES_AFTER_MS = [1000, 2000];

/** An import asks again for its code, but for its styles only once. */
function askForMissingStyles(): void {
  for (const link of document.querySelectorAll<HTMLLinkElement>('link[rel="stylesheet"]')) {
    if (link.sheet === null) link.replaceWith(link.cloneNode());
  }
}

/** Awaits an import, and tries again where it fails. Throws {@link MissingCode} if it never arrives. */
export async function arrived<T>(load: () => Promise<T>): Promise<T> {
  for (const pause of RETRIES_AFTER_MS) {
    try {
      return await load();
    } catch {
      await new Promise((resolve) => setTimeout(resolve, pause));
      askForMissingStyles();
    }
  }
  return await load().catch((cause: unknown) => {
    throw new MissingCode(cause);
  });
}
