import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { ActionIcon, Button, Group, TextInput } from '@mantine/core';
import { IconCornerDownRight, IconX } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { useDraft, useStore } from '../../designerContext';
import { focusSoon } from '../../fieldRegistry';
import fields from '../../fields/fields.module.css';
import { Note } from '../../fields/Section';
import type { DraftFactor } from '../../model/draft/draft';
import {
  type Fragment,
  fragmentFor,
  isUsed,
  RESERVED,
  removeVariable,
  renameVariable,
  withInserted,
} from '../../model/variables';
import classes from './factors.module.css';

export const columnPath = (factor: number, column: number) => `factors.${factor}:variable.${column}`;

interface Props {
  factor: number;
  /** The factor's name. */
  label: string;
  column: number;
  name: string;
  variables: readonly string[];
}

const NAME = /^[a-z_][a-z0-9_]*$/;

function wrong(name: string, others: readonly string[]): string | null {
  if (others.includes(name)) return t`${name} occurs twice`;
  if (RESERVED.has(name)) return t`${name} is a word of expressions`;
  return NAME.test(name) ? null : t`${name}: small letters, digits and _ only, beginning with a letter`;
}

/** The name of a variable, which counts when the field is left, and the way to remove its column. */
export function VariableHead({ factor, label, column, name, variables }: Props) {
  const store = useStore();
  const [text, setText] = useState(name);
  const [error, setError] = useState<string | null>(null);
  useEffect(() => setText(name), [name]);
  const number = column + 1;
  const path = columnPath(factor, column);
  function take() {
    const wanted = text.trim();
    const problem = wanted === name ? null : wrong(wanted, variables);
    setError(problem);
    if (problem !== null) setText(name);
    else if (wanted !== name) store.change((draft) => renameVariable(draft, factor, name, wanted));
  }
  function remove() {
    store.change((draft) => removeVariable(draft, factor, name));
    focusSoon(
      variables.length > 1 ? columnPath(factor, Math.max(0, column - 1)) : `factors.${factor}.levels`,
    );
  }
  return (
    <div className={classes.variable}>
      <TextInput
        size="xs"
        classNames={{ input: fields.code }}
        spellCheck={false}
        maxLength={60}
        data-field={path}
        aria-label={t`Name of variable ${number} of ${label}`}
        placeholder={t`name`}
        value={text}
        error={error}
        onChange={(event) => setText(event.currentTarget.value)}
        onFocus={(event) => event.currentTarget.select()}
        onBlur={take}
        onKeyDown={(event) => event.key === 'Enter' && take()}
      />
      <ActionIcon
        variant="subtle"
        color="gray"
        size="sm"
        aria-label={t`Remove variable ${name} of ${label}`}
        onClick={remove}
      >
        <IconX size={14} />
      </ActionIcon>
    </div>
  );
}

/** That nothing uses a variable yet, and where it may go. */
export function VariableUse({ factor, name }: Pick<Props, 'factor' | 'name'>) {
  const store = useStore();
  const isIdle = useDraft((draft) => !isUsed(draft, name));
  const fragment = useDraft(({ factors }) => fragmentFor(factors[factor] as DraftFactor, name));
  if (!isIdle || name === '') return null;
  const written = `{{ ${name} }}`;
  function insert(into: Fragment) {
    store.change((draft) => withInserted(draft, into, name));
    focusSoon(`nginx.${into}`);
  }
  if (fragment === null)
    return (
      <Note mt={6}>
        <Trans>
          Nothing uses this variable yet: write <code>{written}</code> where its value belongs.
        </Trans>
      </Note>
    );
  return (
    <Group gap="xs" mt={6}>
      <Note>
        <Trans>
          Nothing uses <code>{written}</code> yet.
        </Trans>
      </Note>
      <Button
        variant="default"
        size="compact-xs"
        leftSection={<IconCornerDownRight size={12} />}
        onClick={() => insert(fragment)}
      >
        {t`Insert it into ${fragment}`}
      </Button>
    </Group>
  );
}
