import { t } from '@lingui/core/macro';
import { languageOf as languageOfText, type Said, said } from './language/serverText';

/** A problem with one field of a request: its dotted path and a sentence, which `said` has with its values. */
export interface FieldProblem {
  field: string;
  message: string;
  said?: Said | null;
}

/** Its sentence with its values, or as a whole. */
export const wordsOf = (problem: Pick<FieldProblem, 'message' | 'said'>): Said =>
  problem.said ?? problem.message;

/** The body of an RFC 9457 answer, with a code for programs and the fields that were refused. */
export interface Problem {
  title: string;
  status: number;
  detail: string;
  said?: Said | null;
  code: string;
  errors?: FieldProblem[];
  /** What the person’s passkey is asked, where one is needed. */
  passkey?: unknown;
}

/** An RFC 9457 answer of the server, or a failure to reach it (`status` 0). */
export class ApiProblem extends Error {
  readonly status: number;
  readonly code: string;
  readonly title: string;
  readonly fields: FieldProblem[];
  /** What the server says, with its values. */
  readonly said: Said | undefined;
  readonly passkey: unknown;

  constructor(problem: Partial<Problem> & { status: number }) {
    super(said(problem.said ?? problem.detail ?? '') || problem.title || t`The request failed.`);
    this.name = 'ApiProblem';
    this.status = problem.status;
    this.code = problem.code ?? 'unknown';
    this.title = problem.title ? said(problem.title) : t`Something went wrong`;
    this.said = problem.said ?? problem.detail;
    this.fields = (problem.errors ?? []).map((one) => ({ ...one, message: said(wordsOf(one)) }));
    this.passkey = problem.passkey;
  }

  get isSignedOut(): boolean {
    return this.status === 401;
  }
}

/** What the server works out and has not got yet: it is asked for until it is there. */
export function isStillWorking(error: unknown): error is ApiProblem {
  return error instanceof ApiProblem && (error.code === 'still-working' || error.code === 'waits-for-jobs');
}

export function toProblem(body: unknown, response: Response | undefined): ApiProblem {
  if (body instanceof ApiProblem) return body;
  if (!response) {
    return new ApiProblem({
      status: 0,
      code: 'unreachable',
      title: t`The server cannot be reached`,
      detail: t`The server did not answer. It may be restarting, or the network is down.`,
    });
  }
  const isProblem = typeof body === 'object' && body !== null && 'detail' in body;
  if (isProblem) return new ApiProblem({ ...(body as Partial<Problem>), status: response.status });
  const { status } = response;
  return new ApiProblem({
    status,
    title: `HTTP ${status}`,
    detail: response.statusText || t`The server answered ${status} without an explanation.`,
  });
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** That of a message: English where the server's words have no translation, else that of the page. */
export function languageOf(error: unknown): 'en' | undefined {
  const isServers = error instanceof ApiProblem && error.status > 0 && error.said !== undefined;
  return isServers ? languageOfText(error.said) : undefined;
}
