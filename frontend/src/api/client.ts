import type { QueryKey } from '@tanstack/react-query';
import { toProblem } from '@/lib/problem';
import { arrived } from '@/lib/release';
import { client } from './generated/client.gen';

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

let csrfToken = '';

/** The value of `GET /auth/me`; every unsafe request carries it. */
export function setCsrfToken(token: string): void {
  csrfToken = token;
}

/**
 * Asks the person for their passkey where the server wants it, and then again for what it refused. Whatever the page was
 * about to do goes on, or shows the refusal.
 */
async function send(request: Request): Promise<Response> {
  const again = SAFE_METHODS.has(request.method) ? null : request.clone();
  const answer = await fetch(request);
  if (again === null || answer.status !== 403) return answer;
  const { code } = await answer
    .clone()
    .json()
    .catch(() => ({}));
  if (code !== 'passkey-confirmation') return answer;
  const { confirmed } = await arrived(() => import('./confirmation'));
  return (await confirmed()) ? fetch(again) : answer;
}

/** Make the generated client send the CSRF header and throw ApiProblem. Called once, at start. */
export function configureClient(): void {
  client.setConfig({ baseUrl: '', credentials: 'same-origin', fetch: send as typeof fetch });
  client.interceptors.request.use((request) => {
    if (!SAFE_METHODS.has(request.method) && csrfToken) request.headers.set('X-CSRF-Token', csrfToken);
    return request;
  });
  client.interceptors.error.use((body, response) => toProblem(body, response));
}

/** Groups of operations by their tags in the API's schema, which the keys of their queries have, too. */
type Group = 'experiments' | 'hosts' | 'notes' | 'runs' | 'schedules' | 'trends';

export const allOf = (group: Group) => [{ tags: [group] }] as const;

declare module '@tanstack/react-query' {
  interface Register {
    mutationMeta: {
      /** The page itself says what went wrong, so no notification does. */
      errorShownInPlace?: boolean;
      /** Keys of the queries that are asked for again when the mutation has ended. */
      refetches?: QueryKey[];
    };
  }
}

export async function unwrap<T>(call: Promise<{ data: T }>): Promise<T> {
  return (await call).data;
}

/** The items of a page; without `start` and `limit`, lists answer with all they have (up to 1,000). */
export function itemsOf<T>({ items }: { items: T[] }): T[] {
  return items;
}
