import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { NumberInput, Select, Switch, TextInput } from '@mantine/core';
import type { ComponentType, ReactNode } from 'react';
import { type Control, Controller } from 'react-hook-form';
import type { Parameter } from '@/api/generated';
import { InEnglish } from '@/components/ui/language/InEnglish';
import { ServerText } from '@/components/ui/language/ServerText';
import { said } from '@/lib/language/serverText';
import classes from './ParameterField.module.css';
import { type FormValues, limitsOf, type ParameterValue } from './parameters';

interface Props {
  parameter: Parameter;
  control: Control<FormValues>;
  /** What the server says about the present value. */
  serverProblem?: string;
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

interface InputProps {
  parameter: Parameter;
  value: ParameterValue;
  onChange: (value: ParameterValue) => void;
  onBlur: () => void;
  error: ReactNode;
}

type ControlProps = Omit<InputProps, 'error' | 'onBlur'> & {
  common: { label: ReactNode; description: ReactNode; error: ReactNode; onBlur: () => void };
};

function SwitchInput({ common, value, onChange }: ControlProps) {
  return (
    <Switch
      {...common}
      checked={value === true}
      onChange={(event) => onChange(event.currentTarget.checked)}
    />
  );
}

function ChoiceInput({ parameter, common, value, onChange }: ControlProps) {
  return (
    <Select
      {...common}
      inputContainer={besideArticle(parameter.article_value)}
      data={(parameter.choices ?? []).map(({ value: key, label }) => ({ value: key, label: said(label) }))}
      value={String(value)}
      onChange={(next) => next !== null && onChange(next)}
      allowDeselect={false}
    />
  );
}

/** Several numbers, written with commas between them. */
function ListInput({ parameter, common, value, onChange }: ControlProps) {
  return (
    <TextInput
      {...common}
      inputContainer={besideArticle(parameter.article_value)}
      value={String(value)}
      onChange={(event) => onChange(event.currentTarget.value)}
      rightSection={parameter.unit}
    />
  );
}

function OneNumberInput({ parameter, common, value, onChange }: ControlProps) {
  return (
    <NumberInput
      {...common}
      inputContainer={besideArticle(parameter.article_value)}
      value={value as number}
      onChange={onChange}
      allowDecimal={parameter.kind === 'number'}
      clampBehavior="none"
      suffix={parameter.unit ? ` ${parameter.unit}` : ''}
      step={parameter.unit === 'ms' ? 100 : 1}
    />
  );
}

const CONTROLS: Record<Parameter['kind'], ComponentType<ControlProps>> = {
  boolean: SwitchInput,
  choice: ChoiceInput,
  integers: ListInput,
  numbers: ListInput,
  integer: OneNumberInput,
  number: OneNumberInput,
};

function Input({ error, onBlur, ...input }: InputProps) {
  const { label, kind } = input.parameter;
  const Control = CONTROLS[kind];
  const common = {
    label: <ServerText text={label} />,
    description: helpOf(input.parameter),
    error,
    onBlur,
  };
  return <Control {...input} common={common} />;
}

/** One parameter of a template, drawn after its metadata. */
export function ParameterField({ parameter, control, serverProblem }: Props) {
  return (
    <Controller
      control={control}
      name={`parameters.${parameter.name}`}
      render={({ field, fieldState }) => (
        <Input
          parameter={parameter}
          value={field.value ?? ''}
          onChange={field.onChange}
          onBlur={field.onBlur}
          error={fieldState.error?.message ?? (serverProblem && <InEnglish>{serverProblem}</InEnglish>)}
        />
      )}
    />
  );
}
