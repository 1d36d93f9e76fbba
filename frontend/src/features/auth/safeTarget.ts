const START = '/experiments';

/** Only an address of this site may be returned to: browsers read `//` and `/\` as the beginning of another host. */
export function safeTarget(next: string | null): string {
  return next && /^\/(?![/\\])[^\\]*$/.test(next) ? next : START;
}
