import { i18n } from '@lingui/core';
import { SimpleGrid } from '@mantine/core';
import { memo, type ReactNode } from 'react';
import type { CodeLanguage } from '@/components/ui/code/codeLook';
import { useDraft } from '../designerContext';
import type { Draft } from '../model/draft/draft';
import { valueAt } from '../model/paths';
import { type Declared, FIELDS, type Words } from './declared';
import classes from './fields.module.css';
import { ChoiceField, FragmentField, NumberField, SwitchField, TextField } from './inputs';
import { type Name, RULES, type Rule } from './rules';

interface Props {
  /** Its section and name in the schema. */
  of: Name;
  /** Where its section is in the draft. */
  at: string;
  label?: string;
  description?: ReactNode;
}

const said = (words: Words | undefined) => (typeof words === 'object' ? i18n._(words) : words);

/** A field of the draft, drawn as the schema declares it. What is given besides stands instead. */
export const Field = memo(function Field({ of, at, ...own }: Props) {
  const declared: Declared = FIELDS[of];
  const rule: Rule = RULES[of] ?? {};
  const isShown = useDraft((draft) => {
    const section = valueAt(draft, at);
    return !rule.shown || (section != null && rule.shown(section as never));
  });
  const options = useOptions(declared, rule);
  if (!isShown) return null;
  const { kind, code, templated } = declared;
  const { change, rows, maxLength } = rule;
  const common = {
    path: [at, of.slice(of.indexOf('.') + 1)].filter(Boolean).join('.'),
    label: said(declared.label) ?? '',
    description: said(declared.description),
    change: change && ((draft: Draft, value: unknown) => change(draft, at, value as never)),
    ...own,
  };
  const empty = declared.optional && !rule.needed ? null : ('' as const);
  const text = { placeholder: said(declared.placeholder), empty };
  if (options) return <ChoiceField {...common} options={options} />;
  if (kind === 'switch') return <SwitchField {...common} />;
  if (kind === 'number')
    return <NumberField {...common} {...text} unit={said(declared.unit)} templated={templated} />;
  if (kind === 'code')
    return <FragmentField {...common} {...text} language={code as CodeLanguage} minLines={rows} />;
  return <TextField {...common} {...text} code={code !== undefined} rows={rows} maxLength={maxLength} />;
});

/** What a field can be: what its declaration lists, or what else there is in the draft. */
function useOptions({ options }: Declared, rule: Rule) {
  const draft = useDraft((current) => (rule.options ? current : null));
  if (draft) return rule.options?.(draft);
  return options?.map(([value, words]) => ({ value, label: said(words) ?? value }));
}

type SectionOf<N> = N extends `${infer Section}.${string}` ? Section : never;
type FieldOf<N, S extends string> = N extends `${S}.${infer Field}` ? Field : never;

interface FieldsProps<S extends SectionOf<Name>> {
  of: S;
  at: string;
  /** These only, in this order. */
  only?: readonly FieldOf<Name, S>[];
}

/** Fields of a section of the schema, all of them in its order. */
export function Fields<S extends SectionOf<Name>>({ of, at, only }: FieldsProps<S>) {
  const names = only?.map((field) => `${of}.${field}` as Name) ?? namesOf(of);
  return names.map((name) => <Field key={name} of={name} at={at} />);
}

const namesOf = (section: SectionOf<Name>) =>
  (Object.keys(FIELDS) as Name[]).filter((name) => name.startsWith(`${section}.`));

const isWide = (name: Name) => {
  const { kind }: Declared = FIELDS[name];
  const { rows, wide }: Rule = RULES[name] ?? {};
  return kind === 'switch' || kind === 'code' || rows !== undefined || wide;
};

/** All fields of a section: what is short in a row, and the rest below it. */
export function SectionFields({ of, at }: { of: SectionOf<Name>; at: string }) {
  const names = namesOf(of);
  const field = (name: Name) => <Field key={name} of={name} at={at} />;
  return (
    <>
      <Row>{names.filter((name) => !isWide(name)).map(field)}</Row>
      {names.filter(isWide).map(field)}
    </>
  );
}

/** Fields beside each other. */
export function Row({ most = 4, children }: { most?: number; children: ReactNode }) {
  return (
    <SimpleGrid cols={{ base: 2, xs: most }} spacing="sm" className={classes.top}>
      {children}
    </SimpleGrid>
  );
}
