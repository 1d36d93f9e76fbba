import { t } from '@lingui/core/macro';
import { Checkbox, Table } from '@mantine/core';
import { IconCheck, IconReplace, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import type { ConvertedLine } from '@/api/generated';
import { ServerText } from '@/components/ui/language/ServerText';
import { StateText, type Tone } from '@/components/ui/StateText';
import { HeadRow } from '@/components/ui/table/HeadRow';
import { WideTable } from '@/components/ui/table/WideTable';
import { english } from '@/lib/language/serverText';
import classes from './OwnConfigurationPage.module.css';

const actions = (): Record<
  ConvertedLine['action'],
  { tone: Tone; icon: typeof IconCheck; label: string }
> => ({
  kept: { tone: 'done', icon: IconCheck, label: t({ message: 'kept', context: 'a line' }) },
  replaced: { tone: 'active', icon: IconReplace, label: t({ message: 'replaced', context: 'a line' }) },
  dropped: { tone: 'danger', icon: IconTrash, label: t({ message: 'dropped', context: 'a line' }) },
});

function Row({ line }: { line: ConvertedLine }) {
  const { tone, icon, label } = actions()[line.action];
  const became = line.action === 'kept' ? [] : line.becomes;
  return (
    <Table.Tr>
      <Table.Td className={classes.place}>
        {line.file.split('/').at(-1)}:{line.line}
      </Table.Td>
      <Table.Td>
        <code>{line.text}</code>
      </Table.Td>
      <Table.Td>
        <StateText tone={tone} icon={icon}>
          {label}
          {line.masked && ` · ${t`secret taken out`}`}
        </StateText>
      </Table.Td>
      <Table.Td>
        <code>{became.join('\n')}</code>
        {line.reason && (
          <div>
            <ServerText text={line.reason} />
          </div>
        )}
      </Table.Td>
    </Table.Tr>
  );
}

const told = ({ text, action, reason }: ConvertedLine): string =>
  JSON.stringify([text, action, reason && english(reason)]);

interface Props {
  lines: readonly ConvertedLine[];
  name: string;
  /** Of the configuration that is shown before: a line that became the same in both is not shown again. */
  before?: readonly ConvertedLine[];
}

/** Line by line: what was in the file, and what stands in the experiment. */
export function ConvertedLines({ lines, name, before = [] }: Props) {
  const [isWhole, setWhole] = useState(false);
  const known = new Set(before.map(told));
  const shown = lines
    .map((line, place) => ({ line, place }))
    .filter(({ line }) => isWhole || ((line.action !== 'kept' || line.masked) && !known.has(told(line))));
  return (
    <>
      <Checkbox
        m="sm"
        size="xs"
        label={before.length > 0 ? t`Show all lines` : t`Show the lines that are kept, too`}
        checked={isWhole}
        onChange={({ currentTarget: { checked } }) => setWhole(checked)}
      />
      {shown.length > 0 && (
        <WideTable minWidth={720}>
          <Table className={classes.lines} aria-label={t`Lines of ${name}`}>
            <HeadRow columns={[t`Line`, t`In the file`, t`What became of it`, t`In the experiment`]} />
            <Table.Tbody>
              {shown.map(({ line, place }) => (
                <Row key={place} line={line} />
              ))}
            </Table.Tbody>
          </Table>
        </WideTable>
      )}
    </>
  );
}
