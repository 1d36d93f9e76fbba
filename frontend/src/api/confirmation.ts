import { answerTo } from '@/lib/passkeys';
import { ApiProblem } from '@/lib/problem';
import { beginConfirmation, confirm } from './generated';

let underWay: Promise<boolean> | null = null;

async function ask(): Promise<boolean> {
  try {
    const { data } = await beginConfirmation({ throwOnError: true });
    await confirm({ body: { passkey: await answerTo(data.options) }, throwOnError: true });
    return true;
  } catch (error) {
    if (error instanceof ApiProblem) throw error;
    return false;
  }
}

/**
 * Whether who is signed in has confirmed with their passkey that it is them; false where they did not want to. Requests
 * that need it at the same time share the question. Rejects where the server refuses the passkey.
 */
export function confirmed(): Promise<boolean> {
  underWay ??= ask().finally(() => {
    underWay = null;
  });
  return underWay;
}
