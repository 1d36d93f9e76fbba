import { i18n } from '@lingui/core';
import { SimpleGrid } from '@mantine/core';
import type { ReactNode } from 'react';
import type { CodeLanguage } from '@/components/ui/code/codeLook';
import type { Draft } from '../model/draft/draft';
import { ConfigField } from './ConfigField';
import { type Declared, FIELDS, type Words } from './declared';
import classes from './fields.module.css';
import { type Choice, ChoiceField, NumberField, SwitchField, TextField } from './inputs';

type Name = keyof typeof FIELDS;

interface Props {
  /** Its section and name in the schema. */
  of: Name;
  /** Where its section is in the draft. */
  at: string;
  label?: string;
  description?: ReactNode;
  optional?: boolean;
  options?: readonly (Choice | string)[];
  maxLength?: number;
  /** Lines of a text, at least. */
  rows?: number;
  /** Where a change is more than the value itself. */
  change?: (draft: Draft, value: never) => Draft;
}

const said = (words: Words | undefined) => (typeof words === 'object' ? i18n._(words) : words);

/** A field of the draft, drawn as the schema declares it. What is given besides stands instead. */
export function Field({ of, at, label, options, rows, change, ...own }: Props) {
  const { kind, code, ...one }: Declared = FIELDS[of];
  const path = [at, of.slice(of.indexOf('.') + 1)].filter(Boolean).join('.');
  const common = { path, label: label ?? said(one.label) ?? '', description: said(one.description), ...own };
  const optional = own.optional ?? one.optional;
  const texts = { placeholder: said(one.placeholder), empty: optional ? null : ('' as const) };
  if (options || kind === 'choice') {
    const declared = (one.options ?? []).map(([value, words]) => ({ value, label: said(words) ?? value }));
    return <ChoiceField {...common} options={options ?? declared} change={change as Change<string>} />;
  }
  if (kind === 'number')
    return (
      <NumberField
        {...common}
        unit={said(one.unit)}
        placeholder={texts.placeholder}
        optional={optional}
        templated={one.templated}
      />
    );
  if (kind === 'switch') return <SwitchField {...common} change={change as Change<boolean>} />;
  if (kind === 'code')
    return <ConfigField {...common} {...texts} language={code as CodeLanguage} minLines={rows} />;
  return (
    <TextField
      {...common}
      {...texts}
      code={code !== undefined}
      rows={rows}
      change={change as Change<string>}
    />
  );
}

type Change<T> = ((draft: Draft, value: T) => Draft) | undefined;

type SectionOf<N> = N extends `${infer Section}.${string}` ? Section : never;

/** All fields of a section of the schema, in its order. */
export function Fields({ of, at }: { of: SectionOf<Name>; at: string }) {
  const names = (Object.keys(FIELDS) as Name[]).filter((name) => name.startsWith(`${of}.`));
  return names.map((name) => <Field key={name} of={name} at={at} />);
}

/** Fields beside each other. */
export function Row({ most = 4, children }: { most?: number; children: ReactNode }) {
  return (
    <SimpleGrid cols={{ base: 2, xs: most }} spacing="sm" className={classes.top}>
      {children}
    </SimpleGrid>
  );
}
