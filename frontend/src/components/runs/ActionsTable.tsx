import { t } from '@lingui/core/macro';
import type { ReactNode } from 'react';
import type { ActionsSummary } from '@/api/generated';
import { type Column, DataTable } from '@/components/ui/table/DataTable';
import { formatMicroseconds, formatNumber } from '@/lib/format';

interface Row {
  of?: ReactNode;
  id: string;
  summary: ActionsSummary;
}

const numberColumn = (name: string, text: (summary: ActionsSummary) => ReactNode): Column<Row> => ({
  name,
  align: 'right',
  cell: ({ summary }) => text(summary),
});

const seconds = (value: number | null) => formatMicroseconds(value === null ? null : value * 1e6);

const failures = ({ failed }: ActionsSummary) => (
  <span style={{ color: failed > 0 ? 'var(--danger)' : undefined }}>{formatNumber(failed)}</span>
);

const nameOf = ({ perturbation, action }: ActionsSummary) =>
  action === perturbation ? perturbation : `${perturbation} (${action})`;

const columnsOf = (of: string | undefined): Column<Row>[] => [
  { name: t`Perturbation`, cell: ({ summary }) => nameOf(summary) },
  ...(of ? [{ name: of, cell: (row: Row) => row.of }] : []),
  { name: t({ message: 'By', context: 'host of a perturbation' }), cell: ({ summary }) => summary.host },
  numberColumn(t({ message: 'Actions', context: 'perturbation' }), ({ count }) => formatNumber(count)),
  numberColumn(t`Failed`, failures),
  numberColumn(t`Skipped`, ({ skipped }) => formatNumber(skipped)),
  numberColumn(t`Mean`, ({ mean_s }) => seconds(mean_s)),
  numberColumn(t`Longest`, ({ max_s }) => seconds(max_s)),
];

export function ActionsTable({ rows, of }: { rows: readonly Row[]; of?: string }) {
  return <DataTable columns={columnsOf(of)} rows={rows} minWidth={620} verticalSpacing={4} />;
}
