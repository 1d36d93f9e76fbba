import { ActionIcon, Text, Textarea, TextInput } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { memo } from 'react';
import { textOfProblems, useField, useStore, useValue } from '../designerContext';
import { focusSoon } from '../fieldRegistry';
import type { Pair, Scalar } from '../model/draft/typed';
import { scalarOf } from '../model/draft/values';
import { withValue } from '../model/paths';
import { AddButton } from './AddButton';
import fields from './fields.module.css';
import classes from './PairsField.module.css';

interface Props {
  path: string;
  /** What they are, in the singular: "variable", "header". */
  noun: string;
  /** Whose they are, for those who do not see the page. */
  of: string;
  /** Whether values are kept as text even where they look like numbers. */
  textOnly?: boolean;
}

/** Names and values, a row each. A value may have several lines. */
export const PairsField = memo(function PairsField({ path, noun, of, textOnly = false }: Props) {
  const store = useStore();
  const pairs = useValue<Pair[]>(path);
  const problems = useField(path, `${noun}s of ${of}`);
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
          {...{ path, noun, of, index, pair, textOnly }}
          onRemove={() => remove(index)}
        />
      ))}
      <AddButton onClick={add}>
        {noun}
        <span className="visually-hidden"> for {of}</span>
      </AddButton>
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

/** How a pair is called for those who do not see the page: by its name, or by its place. */
const titleOf = ({ noun, of, index, pair }: RowProps) => `${noun} ${pair.name || index + 1} of ${of}`;

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
      aria-label={`Value of ${title}`}
      placeholder="value"
      classNames={{ input: fields.code }}
      spellCheck={false}
      value={String(value)}
      error={error}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

function Row(props: RowProps) {
  const { path, noun, of, index, pair, textOnly, onRemove } = props;
  const store = useStore();
  const own = `${path}.${pair.name}`;
  const title = titleOf(props);
  const error = textOfProblems(useField(own, title));
  const set = (part: 'name' | 'value', value: Scalar) =>
    store.change((draft) => withValue(draft, `${path}.${index}.${part}`, value), `${path}.${index}.${part}`);
  return (
    <div className={classes.pair} data-field={own}>
      <TextInput
        size="xs"
        data-field={`${path}#${index}`}
        aria-label={`Name of ${noun} ${index + 1} of ${of}`}
        placeholder="name"
        classNames={{ input: fields.code }}
        spellCheck={false}
        value={pair.name}
        error={Boolean(error)}
        onChange={(event) => set('name', event.currentTarget.value)}
      />
      <span aria-hidden>=</span>
      <ValueInput
        title={title}
        value={pair.value}
        error={error}
        onChange={(text) => set('value', textOnly ? text : scalarOf(text))}
      />
      <ActionIcon variant="subtle" color="gray" size="sm" aria-label={`Remove ${title}`} onClick={onRemove}>
        <IconX size={13} />
      </ActionIcon>
    </div>
  );
}
