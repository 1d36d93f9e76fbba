import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { ActionIcon, Text, Textarea, TextInput } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { memo, type ReactNode } from 'react';
import { textOfProblems, useField, useStore, useValue } from '../designerContext';
import { focusSoon } from '../fieldRegistry';
import type { Pair, Scalar } from '../model/draft/values';
import { scalarOf } from '../model/draft/values';
import { withValue } from '../model/paths';
import fields from './fields.module.css';
import classes from './PairsField.module.css';
import { AddButton } from './RowActions';

interface Props {
  path: string;
  kind: PairKind;
  /** Whose they are, for those who do not see the page. */
  of: string;
  /** Whether values are kept as text even where they look like numbers. */
  textOnly?: boolean;
}

/** Names and values, a row each. A value may have several lines. */
export const PairsField = memo(function PairsField({ path, kind, of, textOnly = false }: Props) {
  const store = useStore();
  const pairs = useValue<Pair[]>(path);
  const words = pairWords(kind, of);
  const problems = useField(path, words.all);
  const put = (next: Pair[]) => store.change((draft) => withValue(draft, path, next));
  function add() {
    put([...pairs, { name: '', value: '' }]);
    focusSoon(`${path}#${pairs.length}`);
  }
  function remove(index: number) {
    put(pairs.filter((_, place) => place !== index));
    focusSoon(pairs.length > 1 ? `${path}#${Math.max(0, index - 1)}` : path);
  }
  const error = textOfProblems(problems);
  return (
    <div className={classes.pairs} data-field={path}>
      {pairs.map((pair, index) => (
        <Row
          // biome-ignore lint/suspicious/noArrayIndexKey: rows have no other identity; their values are controlled
          key={index}
          {...{ path, kind, of, index, pair, textOnly }}
          onRemove={() => remove(index)}
        />
      ))}
      <AddButton onClick={add}>{words.add}</AddButton>
      {error && (
        <Text size="xs" c="var(--danger)">
          {error}
        </Text>
      )}
    </div>
  );
});

interface RowProps extends Required<Props> {
  index: number;
  pair: Pair;
  onRemove: () => void;
}

interface ValueProps {
  title: string;
  value: Scalar;
  error: string | null;
  onChange: (text: string) => void;
}

function ValueInput({ title, value, error, onChange }: ValueProps) {
  return (
    <Textarea
      size="xs"
      autosize
      minRows={1}
      maxRows={12}
      aria-label={t`Value of ${title}`}
      placeholder={t`value`}
      classNames={{ input: fields.code }}
      spellCheck={false}
      value={String(value)}
      error={error}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

function Row(props: RowProps) {
  const { path, kind, of, index, pair, textOnly, onRemove } = props;
  const store = useStore();
  const own = `${path}.${pair.name}`;
  const words = pairWords(kind, of);
  const what = words.one(pair.name || index + 1);
  const error = textOfProblems(useField(own, what));
  const set = (part: 'name' | 'value', value: Scalar) =>
    store.change((draft) => withValue(draft, `${path}.${index}.${part}`, value), `${path}.${index}.${part}`);
  return (
    <div className={classes.pair} data-field={own}>
      <TextInput
        size="xs"
        data-field={`${path}#${index}`}
        aria-label={words.nameOf(index + 1)}
        placeholder={t`name`}
        classNames={{ input: fields.code }}
        spellCheck={false}
        value={pair.name}
        title={pair.name}
        error={Boolean(error)}
        onChange={(event) => set('name', event.currentTarget.value)}
      />
      <span aria-hidden>=</span>
      <ValueInput
        title={what}
        value={pair.value}
        error={error}
        onChange={(text) => set('value', textOnly ? text : scalarOf(text))}
      />
      <ActionIcon variant="subtle" color="gray" size="sm" aria-label={t`Remove ${what}`} onClick={onRemove}>
        <IconX size={13} />
      </ActionIcon>
    </div>
  );
}

type PairKind = 'variable' | 'header';

interface Words {
  all: string;
  /** One by its name, or by its place. */
  one: (name: string | number) => string;
  nameOf: (number: number) => string;
  add: ReactNode;
}

const variables = (of: string): Words => ({
  all: t`variables of ${of}`,
  one: (name) => t`variable ${name} of ${of}`,
  nameOf: (number) => t`Name of variable ${number} of ${of}`,
  add: (
    <Trans>
      variable<span className="visually-hidden"> for {of}</span>
    </Trans>
  ),
});

const headers = (of: string): Words => ({
  all: t`headers of ${of}`,
  one: (name) => t`header ${name} of ${of}`,
  nameOf: (number) => t`Name of header ${number} of ${of}`,
  add: (
    <Trans>
      header<span className="visually-hidden"> for {of}</span>
    </Trans>
  ),
});

/** What pairs of names and values are called. `of`: whose they are, for those who do not see the page. */
const pairWords = (kind: PairKind, of: string): Words => (kind === 'variable' ? variables(of) : headers(of));
