import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Textarea, TextInput } from '@mantine/core';
import { memo } from 'react';
import { textOfProblems, useField, useStore } from '../../designerContext';
import fields from '../../fields/fields.module.css';
import { List } from '../../fields/List';
import type { Pair } from '../../model/draft/values';
import { withValue } from '../../model/paths';
import classes from './HeadersField.module.css';

interface Props {
  path: string;
  /** Whose they are, for those who do not see the page. */
  of: string;
}

/** Names and values, a row each. */
export const HeadersField = memo(function HeadersField({ path, of }: Props) {
  const nameOf = ({ name }: Pair, number: number) => {
    const header = name || number;
    return t`header ${header} of ${of}`;
  };
  return (
    <List<Pair>
      path={path}
      label={t`headers of ${of}`}
      nameOf={nameOf}
      create={() => ({ name: '', value: '' })}
      row={classes.pair}
      adds={
        <Trans>
          header<span className="visually-hidden"> for {of}</span>
        </Trans>
      }
    >
      {(pair, { path: at, number }) => (
        <HeaderFields
          {...{ pair, at, of, number }}
          own={`${path}.${pair.name}`}
          title={nameOf(pair, number)}
        />
      )}
    </List>
  );
});

interface HeaderProps {
  pair: Pair;
  at: string;
  /** Its path in a definition. */
  own: string;
  of: string;
  number: number;
  title: string;
}

function HeaderFields({ pair, at, own, of, number, title }: HeaderProps) {
  const store = useStore();
  const error = textOfProblems(useField(own, title));
  const set = (part: keyof Pair, value: string) =>
    store.change((draft) => withValue(draft, `${at}.${part}`, value), `${at}.${part}`);
  const common = { size: 'xs', classNames: { input: fields.code }, spellCheck: false };
  return (
    <>
      <TextInput
        {...common}
        data-field={own}
        aria-label={t`Name of header ${number} of ${of}`}
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
        onChange={(event) => set('value', event.currentTarget.value)}
      />
    </>
  );
}
