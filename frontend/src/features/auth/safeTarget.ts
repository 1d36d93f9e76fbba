/** Where to go on: only an address of this site may be returned to. */
export function safeTarget(next: string | null): string {
  return next?.startsWith('/') && !next.startsWith('//') ? next : '/experiments';
}
