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

/** What `load` imports; {@link MissingCode} where it does not come. */
export async function arrived<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    throw new MissingCode(cause);
  }
}
