import { t } from '@lingui/core/macro';
import type { RunRevision } from '@/api/generated';

/** The length of a commit's hash by which people know it. */
const SHORT = 10;

/** "main, 1a2b3c4d5e, pull request #12"; null where nothing is known. */
export function revisionText(revision: RunRevision | null | undefined): string | null {
  if (!revision) return null;
  const { branch, commit, pull_request: number } = revision;
  const parts = [branch, commit?.slice(0, SHORT), number ? t`pull request #${number}` : null];
  return parts.filter(Boolean).join(', ') || null;
}

/** What of a repository a run measures. */
export function RevisionText({ of }: { of: RunRevision | null | undefined }) {
  const text = revisionText(of);
  return text && <span title={of?.commit ?? undefined}>{text}</span>;
}
