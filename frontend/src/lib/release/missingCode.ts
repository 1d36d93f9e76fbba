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

const RETRY_AFTER_MS = 1000;

/** What `load` imports, asked for twice: a phone loses its link for a moment. {@link MissingCode} where it never comes. */
export async function arrived<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch {
    await new Promise((resolve) => setTimeout(resolve, RETRY_AFTER_MS));
    return await load().catch((cause: unknown) => {
      throw new MissingCode(cause);
    });
  }
}
