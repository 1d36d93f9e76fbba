import { t } from '@lingui/core/macro';
import { Combobox, InputBase, ScrollArea, Text, useCombobox } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconPlus } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { listRunsOptions, type RunSummary } from '@/api/generated';
import { Dim } from '@/components/ui/Dim';
import { RelativeTime } from '@/components/ui/Time';

const MOST = 20;

/** The newest finished runs with these words, of all experiments or of one. */
function useRunSearch(search: string, experimentId: string | null) {
  const query = { search, limit: MOST, state: 'completed' as const, experiment_id: experimentId };
  return useQuery({
    ...listRunsOptions({ query }),
    placeholderData: keepPreviousData,
  });
}

interface Props {
  /** Its runs are suggested first. */
  experimentId: string | null;
  chosen: readonly string[];
  onChoose: (runId: string) => void;
}

function RunOption({ run }: { run: RunSummary }) {
  return (
    <Combobox.Option value={run.id}>
      <Text size="sm">
        {run.experiment_name} #{run.number}
      </Text>
      <Dim size="xs">
        {[...new Set(run.hosts)].join(', ')}, <RelativeTime iso={run.created_at} />
        {run.note && `, “${run.note}”`}
      </Dim>
    </Combobox.Option>
  );
}

function Options({ experimentId, chosen, search }: Omit<Props, 'onChoose'> & { search: string }) {
  const [words] = useDebouncedValue(search.trim(), 200);
  const { data, isError } = useRunSearch(words, words ? null : experimentId);
  const offered = (data?.items ?? []).filter(({ id }) => !chosen.includes(id));
  if (isError) return <Combobox.Empty>{t`The list of runs could not be loaded.`}</Combobox.Empty>;
  if (!data) return <Combobox.Empty>{t`Loading …`}</Combobox.Empty>;
  if (offered.length === 0) {
    const why = words ? t`No finished run matches.` : t`Type to search all runs.`;
    return <Combobox.Empty>{why}</Combobox.Empty>;
  }
  return offered.map((run) => <RunOption key={run.id} run={run} />);
}

/** Find a finished run by words of its experiment, note, verdict, host or author, or by `#3`. */
export function RunPicker({ experimentId, chosen, onChoose }: Props) {
  const [search, setSearch] = useState('');
  const combobox = useCombobox({ onDropdownClose: () => combobox.resetSelectedOption() });
  const choose = (runId: string) => {
    onChoose(runId);
    setSearch('');
    combobox.closeDropdown();
  };
  return (
    <Combobox store={combobox} onOptionSubmit={choose} shadow="md">
      <Combobox.Target>
        <InputBase
          leftSection={<IconPlus size={14} />}
          aria-label={t`Add a run`}
          placeholder={t`Add a run: search by name, host, note or #number`}
          value={search}
          onChange={(event) => {
            setSearch(event.currentTarget.value);
            combobox.openDropdown();
            combobox.updateSelectedOptionIndex();
          }}
          onClick={() => combobox.openDropdown()}
          onFocus={() => combobox.openDropdown()}
          onBlur={() => combobox.closeDropdown()}
        />
      </Combobox.Target>
      <Combobox.Dropdown>
        <Combobox.Options aria-label={t`Runs`}>
          <ScrollArea.Autosize mah={280} type="scroll">
            {combobox.dropdownOpened && <Options {...{ experimentId, chosen, search }} />}
          </ScrollArea.Autosize>
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  );
}
