import { vi } from 'vitest';

/** Stands in for the browser's passkeys until the test ends; `null`: their person refuses. */
export function stubPasskeys(answer: object | null) {
  const ask = vi.fn(async () => {
    if (answer === null) throw new DOMException('refused', 'NotAllowedError');
    return { toJSON: () => ({ id: 'key', response: answer }) };
  });
  const parse = (options: unknown) => options;
  vi.stubGlobal('PublicKeyCredential', {
    parseRequestOptionsFromJSON: parse,
    parseCreationOptionsFromJSON: parse,
  });
  Object.defineProperty(navigator, 'credentials', { configurable: true, value: { get: ask, create: ask } });
  return ask;
}

export const SIGNED = { clientDataJSON: 'client', authenticatorData: 'data', signature: 'signature' };
export const ANSWER = {
  credential_id: 'key',
  client_data: 'client',
  authenticator_data: 'data',
  signature: 'signature',
};
