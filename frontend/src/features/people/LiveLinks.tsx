import { plural, t } from '@lingui/core/macro';
import { Button } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import {
  type LiveShare,
  listLiveSharesOptions,
  listLiveSharesQueryKey,
  revokeShareMutation,
} from '@/api/generated';
import { askFirst } from '@/components/access/askFirst';
import { Panel } from '@/components/ui/Panel';
import { ProblemNotice } from '@/components/ui/ProblemNotice';
import { QueryView } from '@/components/ui/QueryView';
import { RelativeTime } from '@/components/ui/Time';
import { type Column, DataTable } from '@/components/ui/table/DataTable';
import { formatDay } from '@/lib/time';

const kinds = (): Record<LiveShare['kind'], string> => ({
  report: t`Report`,
  comparison: t`Comparison`,
  trends: t`Trends`,
});

/** Whose link it is, and what ends it beside its date. */
function owner({ created_by: person, by_token: token, works }: LiveShare): string {
  if (!works) return t`${person}, who is disabled: the link pauses`;
  return token ? t`${person}, by the token ${token}` : person;
}

const columns = (revoke: (share: LiveShare) => void): Column<LiveShare>[] => [
  { name: t`Shows`, look: { miw: 180 }, cell: ({ kind, what }) => `${kinds()[kind]}: ${what}` },
  { name: t`For`, cell: ({ label }) => label },
  { name: t`Of`, look: { style: { overflowWrap: 'anywhere' } }, cell: owner },
  { name: t`Made`, nowrap: true, cell: ({ created_at }) => <RelativeTime iso={created_at} /> },
  { name: t`Ends`, nowrap: true, cell: ({ expires_at: at }) => (at ? formatDay(at) : t`never`) },
  { name: t`Opened`, align: 'right', cell: ({ opened }) => opened },
  {
    name: t`Actions`,
    hidden: true,
    align: 'right',
    cell: (share) => (
      <Button size="compact-xs" variant="default" onClick={() => revoke(share)}>
        {t`Revoke`}
      </Button>
    ),
  },
];

/** Every link that has not ended, whoever made it: what can be read without an account. */
export function LiveLinks() {
  const links = useQuery(listLiveSharesOptions());
  const revoke = useMutation({ ...revokeShareMutation(), meta: { refetches: [listLiveSharesQueryKey()] } });
  const ask = (share: LiveShare) => {
    const { what, created_by: person } = share;
    askFirst({
      title: t`Revoke the link to ${what}?`,
      text: t`Who has it reads nothing through it any more. It is a link of ${person}.`,
      confirm: t`Revoke`,
      onConfirm: () => revoke.mutate({ path: { share_id: share.id } }),
    });
  };
  return (
    <QueryView query={links} skeleton={[160]}>
      {({ items, total }) => (
        <Panel
          flush
          title={t`Links`}
          note={plural(total, {
            one: '# link can be opened without an account.',
            other: '# links can be opened without an account.',
          })}
        >
          {revoke.error && <ProblemNotice error={revoke.error} />}
          <DataTable columns={columns(ask)} rows={items} minWidth={760} empty={t`Nothing is shared.`} />
        </Panel>
      )}
    </QueryView>
  );
}
