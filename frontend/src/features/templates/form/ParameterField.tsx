import { NumberInput, Select, Switch, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { type Control, Controller } from 'react-hook-form';
import type { Parameter } from '@/api/generated';
import classes from './ParameterField.module.css';
import { type FormValues, limitsOf, type ParameterValue } from './parameters';

interface Props {
  parameter: Parameter;
  control: Control<FormValues>;
  /** What the server says about the present value. */
  serverProblem?: string;
}

function helpOf(parameter: Parameter): string {
  const limits = limitsOf(parameter);
  return [parameter.help, limits && `Limits: ${limits}.`].filter(Boolean).join(' ');
}

/** The input with what the article used beside it. */
function besideArticle(value: string | null | undefined) {
  return (input: ReactNode) =>
    value ? (
      <div className={classes.besideArticle}>
        {input}
        <span>
          article <b>{value}</b>
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
  error: string | undefined;
}

function Input({ parameter, value, onChange, onBlur, error }: InputProps) {
  const common = { label: parameter.label, description: helpOf(parameter), error, onBlur };
  const inputContainer = besideArticle(parameter.article_value);
  if (parameter.kind === 'boolean')
    return (
      <Switch
        {...common}
        checked={value === true}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
    );
  if (parameter.kind === 'choice')
    return (
      <Select
        {...common}
        inputContainer={inputContainer}
        data={parameter.choices}
        value={String(value)}
        onChange={(next) => next !== null && onChange(next)}
        allowDeselect={false}
      />
    );
  if (parameter.kind === 'integers' || parameter.kind === 'numbers')
    return (
      <TextInput
        {...common}
        inputContainer={inputContainer}
        value={String(value)}
        onChange={(event) => onChange(event.currentTarget.value)}
        rightSection={parameter.unit}
      />
    );
  return (
    <NumberInput
      {...common}
      inputContainer={inputContainer}
      value={value as number}
      onChange={onChange}
      allowDecimal={parameter.kind === 'number'}
      clampBehavior="none"
      suffix={parameter.unit ? ` ${parameter.unit}` : ''}
      step={parameter.unit === 'ms' ? 100 : 1}
    />
  );
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
          error={fieldState.error?.message ?? serverProblem}
        />
      )}
    />
  );
}
