import { t } from '@lingui/core/macro';

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

/** What `load` imports, asked for again where it does not come. {@link MissingCode} where it never does. */
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
