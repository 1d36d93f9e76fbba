import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Textarea, TextInput } from '@mantine/core';
import { memo, type ReactNode } from 'react';
import { textOfProblems, useField, useStore } from '../designerContext';
import { type Pair, type Scalar, scalarOf } from '../model/draft/values';
import { withValue } from '../model/paths';
import fields from './fields.module.css';
import { List } from './List';
import classes from './PairsField.module.css';

interface Props {
  path: string;
  kind: 'variable' | 'header';
  /** Whose they are, for those who do not see the page. */
  of: string;
  /** Whether values are kept as text even where they look like numbers. */
  textOnly?: boolean;
}

/** Names and values, a row each. A value may have several lines. */
export const PairsField = memo(function PairsField({ path, kind, of, textOnly = false }: Props) {
  const words = kind === 'variable' ? variables(of) : headers(of);
  return (
    <List<Pair>
      path={path}
      label={words.all}
      nameOf={({ name }, number) => words.one(name || number)}
      create={() => ({ name: '', value: '' })}
      row={classes.pair}
      adds={words.add}
    >
      {(pair, { path: at, number }) => (
        <PairFields
          {...{ pair, at, textOnly }}
          own={`${path}.${pair.name}`}
          title={words.one(pair.name || number)}
          nameLabel={words.nameOf(number)}
        />
      )}
    </List>
  );
});

interface PairProps {
  pair: Pair;
  at: string;
  /** Its path in a definition. */
  own: string;
  textOnly: boolean;
  title: string;
  nameLabel: string;
}

function PairFields({ pair, at, own, textOnly, title, nameLabel }: PairProps) {
  const store = useStore();
  const error = textOfProblems(useField(own, title));
  const set = (part: keyof Pair, value: Scalar) =>
    store.change((draft) => withValue(draft, `${at}.${part}`, value), `${at}.${part}`);
  const common = { size: 'xs', classNames: { input: fields.code }, spellCheck: false };
  return (
    <>
      <TextInput
        {...common}
        data-field={own}
        aria-label={nameLabel}
        placeholder={t`name`}
        value={pair.name}
        title={pair.name}
        error={Boolean(error)}
        onChange={(event) => set('name', event.currentTarget.value)}
      />
      <span aria-hidden>=</span>
      <Textarea
        {...common}
        autosize
        minRows={1}
        maxRows={12}
        aria-label={t`Value of ${title}`}
        placeholder={t`value`}
        value={String(pair.value)}
        error={error}
        onChange={({ currentTarget: { value } }) => set('value', textOnly ? value : scalarOf(value))}
      />
    </>
  );
}

/** What pairs are called. */
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
