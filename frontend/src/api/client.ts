import { toProblem } from '@/lib/problem';
import { client } from './generated/client.gen';

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

let csrfToken = '';

/** The value of `GET /auth/me`; every unsafe request carries it. */
export function setCsrfToken(token: string): void {
  csrfToken = token;
}

/** Make the generated client send the CSRF header and throw ApiProblem. Called once, at start. */
export function configureClient(): void {
  client.setConfig({ baseUrl: '', credentials: 'same-origin' });
  client.interceptors.request.use((request) => {
    if (!SAFE_METHODS.has(request.method) && csrfToken) request.headers.set('X-CSRF-Token', csrfToken);
    return request;
  });
  client.interceptors.error.use((body, response) => toProblem(body, response));
}

/** The payload of a call made with `throwOnError: true`. */
export async function unwrap<T>(call: Promise<{ data: T }>): Promise<T> {
  return (await call).data;
}
