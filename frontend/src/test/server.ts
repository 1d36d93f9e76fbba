import { expect, onTestFinished, vi } from 'vitest';
import { configureClient } from '@/api/client';
import { client } from '@/api/generated/client.gen';
import type { FieldProblem } from '@/lib/problem';

/** A request as it left the page; the path is the one below `/api/v1`. */
export interface Sent {
  method: string;
  path: string;
  query: Record<string, string>;
  body: unknown;
  headers: Headers;
  signal: AbortSignal;
}

/** By method and path, e.g. `GET /hosts`: the JSON of the answer, an array for a list's only page, `null` for none (204),
 * or what makes it. */
type Routes = Record<string, unknown>;

// Node's fetch knows no page that an address could be relative to.
configureClient();
client.setConfig({ baseUrl: 'http://server' });

/** A refusal as the backend words it (RFC 9457). */
export function problem(status: number, detail: string, code = 'refused', errors: FieldProblem[] = []) {
  return () => Response.json({ title: 'Refused', status, detail, code, errors }, { status });
}

async function asSent(request: Request): Promise<Sent> {
  const { pathname, searchParams } = new URL(request.url);
  const text = await request.text();
  return {
    method: request.method,
    path: pathname.replace('/api/v1', ''),
    query: Object.fromEntries(searchParams),
    body: text ? JSON.parse(text) : undefined,
    headers: request.headers,
    signal: request.signal,
  };
}

function asResponse(answer: unknown): Response {
  if (answer instanceof Response) return answer;
  if (answer === null) return new Response(null, { status: 204 });
  return Response.json(Array.isArray(answer) ? { items: answer, next: null } : answer);
}

/** What many components ask for, as most installations answer it. */
const NOTHING_SPECIAL: Routes = { 'GET /teams': [] };

/**
 * Stands in for the network until the test ends. A request that the test does not expect fails it.
 */
export function serve(routes: Routes) {
  const known = new Map(Object.entries({ ...NOTHING_SPECIAL, ...routes }));
  const sent: Sent[] = [];
  const unexpected: string[] = [];
  vi.stubGlobal('fetch', async (request: Request) => {
    const one = await asSent(request);
    const route = `${one.method} ${one.path}`;
    sent.push(one);
    if (!known.has(route)) {
      unexpected.push(route);
      return problem(501, `The test has no answer to ${route}.`)();
    }
    const answer = known.get(route);
    return asResponse(typeof answer === 'function' ? await answer(one) : answer);
  });
  onTestFinished(() => {
    vi.unstubAllGlobals();
    expect(unexpected).toEqual([]);
  });
  const to = (route: string) => sent.filter(({ method, path }) => route === `${method} ${path}`);
  return {
    /** From now on, answer a route otherwise. */
    answer: (route: string, answer: unknown) => void known.set(route, answer),
    /** The requests to a route so far. */
    to,
    /** The bodies of the requests to a route so far. */
    bodies: (route: string) => to(route).map(({ body }) => body),
  };
}
