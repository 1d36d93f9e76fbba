import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Autocomplete, Button, Group, Textarea } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { type ClipboardEvent, type CSSProperties, memo } from 'react';
import { useHosts } from '@/api/hosts';
import { textOfProblems, useDraft, useField, useStore } from '../../designerContext';
import { focusSoon } from '../../fieldRegistry';
import fields from '../../fields/fields.module.css';
import { useInput } from '../../fields/inputs';
import { type Added, List, useAdd } from '../../fields/List';
import type { DraftFactor, DraftLevel } from '../../model/draft/draft';
import { scalarOf } from '../../model/draft/values';
import { nextLevel, renameLevel, withLevels } from '../../model/structure';
import {
  addVariable,
  gridOf,
  labelFrom,
  levelValue,
  variablesOf,
  withGrid,
  withVariable,
} from '../../model/variables';
import classes from './factors.module.css';
import { Names } from './Names';
import { columnPath, VariableHead, VariableUse } from './VariableHead';

interface Props {
  factor: number;
  label: string;
  hasBuilds: boolean;
  hasKeys: boolean;
}

/** A row for each level of a factor, a column for each variable. */
export const LevelTable = memo(function LevelTable({ factor, label, hasBuilds, hasKeys }: Props) {
  const names = useDraft(({ factors }) => JSON.stringify(variablesOf(factors[factor] as DraftFactor)));
  const variables = JSON.parse(names) as string[];
  const tracks = ['minmax(130px, 1.4fr)', hasKeys && '120px', hasBuilds && 'minmax(150px, 1fr)'];
  const columns = [...tracks.filter(Boolean), ...variables.map(() => 'minmax(200px, 3fr)'), '92px'].join(' ');
  const levels: Added<DraftLevel> = {
    path: `factors.${factor}.levels`,
    create: nextLevel,
    change: (draft, how) => withLevels(draft, factor, how),
  };
  return (
    <div>
      <div className={classes.table} style={{ '--columns': columns } as CSSProperties}>
        <div className={classes.row}>
          <span>{t`Level`}</span>
          {hasKeys && <span>{t`Key`}</span>}
          {hasBuilds && <span>{t`Build`}</span>}
          {variables.map((name, column) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a column that is renamed stays
            <VariableHead key={column} {...{ factor, label, column, name, variables }} />
          ))}
        </div>
        <List<DraftLevel>
          {...levels}
          label={t`Levels of ${label}`}
          nameOf={({ label }) => t`level ${label}`}
          row={classes.row}
          least={1}
          ordered
        >
          {({ label }, { path, index }) => (
            <LevelRow {...{ factor, path, index, label, hasBuilds, hasKeys, variables }} />
          )}
        </List>
      </div>
      <Adding {...{ factor, label, levels, columns: variables.length }} />
      {variables.map((name) => (
        <VariableUse key={name} factor={factor} name={name} />
      ))}
    </div>
  );
});

interface AddingProps extends Pick<Props, 'factor' | 'label'> {
  levels: Added<DraftLevel>;
  columns: number;
}

/** Adds a row or a column. */
function Adding({ factor, label, levels, columns }: AddingProps) {
  const store = useStore();
  const addLevel = useAdd(levels);
  function addColumn() {
    store.change((draft) => addVariable(draft, factor));
    focusSoon(columnPath(factor, columns));
  }
  const look = { variant: 'subtle', color: 'gray', size: 'compact-xs', leftSection: <IconPlus size={12} /> };
  return (
    <Group gap="xs" mt={4}>
      <Button {...look} onClick={addLevel}>
        <Trans>
          Add level<span className="visually-hidden"> to {label}</span>
        </Trans>
      </Button>
      <Button {...look} onClick={addColumn}>
        <Trans>
          Add variable<span className="visually-hidden"> to {label}</span>
        </Trans>
      </Button>
    </Group>
  );
}

interface RowProps extends Props {
  index: number;
  path: string;
  variables: readonly string[];
}

function LevelRow({ factor, index, path, label, hasBuilds, hasKeys, variables }: RowProps) {
  const number = index + 1;
  const of = label || t`level ${number}`;
  const paste = usePaste(factor, index);
  return (
    <>
      <div className={classes.names} onPasteCapture={(event) => paste(event, -1)}>
        <Names
          path={path}
          labels={[t`Level ${number}`, t`Key of level ${label}`]}
          hideLabel
          hideKey={!hasKeys}
          rename={(draft, naming) => renameLevel(draft, factor, index, naming)}
        />
      </div>
      {hasBuilds && <BuildField path={`${path}.build`} label={t`Build of ${of}`} />}
      {variables.map((name, column) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a column that is renamed stays
        <div key={column} onPasteCapture={(event) => paste(event, column)}>
          <Cell {...{ factor, index, name, of, isFirst: column === 0 }} />
        </div>
      ))}
    </>
  );
}

/** Cells of a spreadsheet fill the cells from here on; any other text is pasted as usual. */
function usePaste(factor: number, row: number) {
  const store = useStore();
  return (event: ClipboardEvent, column: number) => {
    const { clipboardData: data } = event;
    const grid = gridOf(data.getData('text/plain'), data.getData('text/html'));
    if (!grid) return;
    event.preventDefault();
    store.change((draft) => withGrid(draft, factor, row, column, grid));
  };
}

interface CellProps {
  factor: number;
  index: number;
  name: string;
  /** The level's name. */
  of: string;
  isFirst: boolean;
}

/** What a level sets a variable to. */
function Cell({ factor, index, name, of, isFirst }: CellProps) {
  const store = useStore();
  const path = `factors.${factor}.levels.${index}.variables.${name}`;
  const title = t`Value of variable ${name} of ${of}`;
  const error = textOfProblems(useField(path, title));
  const value = useDraft(({ factors }) => levelValue(factors[factor]?.levels[index], name));
  function leave() {
    const own = store.draft.factors[factor];
    const label = own && isFirst ? labelFrom(own, index, name) : null;
    if (label) store.change((draft) => renameLevel(draft, factor, index, { label }), path);
  }
  return (
    <Textarea
      size="xs"
      classNames={{ input: fields.code }}
      spellCheck={false}
      autosize
      minRows={1}
      maxRows={12}
      data-field={path}
      aria-label={title}
      placeholder={value === undefined ? t`not set` : t`value`}
      value={String(value ?? '')}
      error={error}
      onBlur={leave}
      onChange={({ currentTarget }) =>
        store.change((draft) => withVariable(draft, factor, index, name, scalarOf(currentTarget.value)), path)
      }
    />
  );
}

/** Which nginx the arms of a level run: a name that a host's binary answers to, or any that a run then binds. */
function BuildField({ path, label }: { path: string; label: string }) {
  const { value, put, element } = useInput<string | null>({ path, label, hideLabel: true });
  const { data: hosts } = useHosts();
  const names = new Set((hosts ?? []).flatMap(({ nginx }) => nginx.map(({ name }) => name)));
  return (
    <Autocomplete
      {...element}
      placeholder={t`Build, such as nginx-1.22.1`}
      size="xs"
      maxLength={100}
      spellCheck={false}
      data={[...names].filter((name) => !name.includes('/'))}
      value={value ?? ''}
      onChange={(text) => put(text, path)}
    />
  );
}
