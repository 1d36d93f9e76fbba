import { queryOptions } from '@tanstack/react-query';
import { unwrap } from './client';
import type {
  LoginData,
  LoginRequest,
  LoginResponses,
  Me,
  MeData,
  MeResponses,
  SignInMethodsData,
  SignInMethodsResponses,
} from './generated';
import { client } from './generated/client.gen';

/**
 * What the sign-in page asks of the server, typed as the generated client is and apart from it: with the functions of all
 * operations, the page that everybody opens first would be heavier by a tenth.
 */
const throwOnError = true;

export const me = (): Promise<Me> =>
  unwrap(
    client.get<MeResponses, unknown, true>({ url: '/api/v1/auth/me' satisfies MeData['url'], throwOnError }),
  );

export const login = (body: LoginRequest): Promise<Me> =>
  unwrap(
    client.post<LoginResponses, unknown, true>({
      url: '/api/v1/auth/login' satisfies LoginData['url'],
      headers: { 'Content-Type': 'application/json' },
      body,
      throwOnError,
    }),
  );

/** The ways in which people sign in here, which do not change while a page is open. */
export const methodsQuery = queryOptions({
  queryKey: ['sign-in methods'],
  queryFn: ({ signal }) =>
    unwrap(
      client.get<SignInMethodsResponses, unknown, true>({
        url: '/api/v1/auth/methods' satisfies SignInMethodsData['url'],
        signal,
        throwOnError,
      }),
    ),
  staleTime: Number.POSITIVE_INFINITY,
});
