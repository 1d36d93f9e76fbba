import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { NumberInput, Select, Switch, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { type Control, useController } from 'react-hook-form';
import type { Parameter } from '@/api/generated';
import { ServerText } from '@/components/ui/language/ServerText';
import { type Said, said } from '@/lib/language/serverText';
import classes from './ParameterField.module.css';
import { type FormValues, limitsOf } from './parameters';

interface Props {
  parameter: Parameter;
  control: Control<FormValues>;
  /** What the server says about the present value. */
  serverProblem?: Said | undefined;
}

function helpOf(parameter: Parameter): ReactNode {
  const { help } = parameter;
  const limits = limitsOf(parameter);
  if (!help && !limits) return null;
  return (
    <>
      {help && <ServerText text={help} />}
      {help && limits && ' '}
      {limits && t`Limits: ${limits}.`}
    </>
  );
}

/** The input with what the article used beside it. */
function besideArticle(text: string | null | undefined) {
  const value = text && said(text);
  return (input: ReactNode) =>
    value ? (
      <div className={classes.besideArticle}>
        {input}
        <span>
          <Trans>
            article <b>{value}</b>
          </Trans>
        </span>
      </div>
    ) : (
      input
    );
}

/** One parameter of a template, drawn after its metadata. */
export function ParameterField({ parameter, control, serverProblem }: Props) {
  const { field, fieldState } = useController({ control, name: `parameters.${parameter.name}` });
  const { value = '', onChange, onBlur } = field;
  const { kind, unit, choices } = parameter;
  const plain = {
    label: <ServerText text={parameter.label} />,
    description: helpOf(parameter),
    error: fieldState.error?.message ?? (serverProblem && <ServerText text={serverProblem} />),
    onBlur,
    onChange,
  };
  const common = { ...plain, inputContainer: besideArticle(parameter.article_value) };
  switch (kind) {
    case 'boolean':
      return <Switch {...plain} checked={value === true} />;
    case 'choice':
      return (
        <Select
          {...common}
          data={(choices ?? []).map((choice) => ({ value: choice.value, label: said(choice.label) }))}
          value={String(value)}
          allowDeselect={false}
        />
      );
    case 'integer':
    case 'number':
      return (
        <NumberInput
          {...common}
          value={value as number}
          allowDecimal={kind === 'number'}
          clampBehavior="none"
          suffix={unit ? ` ${unit}` : ''}
          step={unit === 'ms' ? 100 : 1}
        />
      );
    default: // several numbers, written with commas between them
      return <TextInput {...common} value={String(value)} rightSection={unit} />;
  }
}
