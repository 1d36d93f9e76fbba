import { t } from '@lingui/core/macro';
import { Alert, Button, Group, Text } from '@mantine/core';
import { IconPlayerPlay } from '@tabler/icons-react';
import type { SyntheticEvent } from 'react';
import { useHasRole } from '@/api/session';
import classes from './RunBar.module.css';

interface Props {
  pending: boolean;
  /** Whether a value of the form makes no sense. */
  isBroken: boolean;
  /** Whether every slot has a host; undefined until the preview has told which slots there are. */
  hasHosts: boolean | undefined;
  /** Whether the hosts have what is needed; undefined until it is known. */
  fits: boolean | undefined;
  error: string | undefined;
  onSave: (event: SyntheticEvent) => void;
}

function reason({ isBroken, hasHosts, fits }: Props, mayCreate: boolean): string | null {
  if (!mayCreate) return t`You need the experimenter role.`;
  if (isBroken) return t`Fix the values marked above first.`;
  if (hasHosts === undefined) return t`The preview tells which hosts are needed; it is not there yet.`;
  if (!hasHosts) return t`No host is available.`;
  if (fits === false) return t`The host lacks a required capability; see above.`;
  return null;
}

/** The one button, and why it cannot be pressed. */
export function RunBar(props: Props) {
  const mayCreate = useHasRole('experimenter');
  const { pending, isBroken, error, onSave } = props;
  const why = reason(props, mayCreate);
  return (
    <div className={classes.submit}>
      {error && (
        <Alert role="alert" color="red" variant="light" mb="sm">
          {error}
        </Alert>
      )}
      <Group gap="sm">
        <Button
          type="submit"
          size="md"
          leftSection={<IconPlayerPlay size={16} />}
          loading={pending}
          disabled={why !== null}
        >
          {t`Run`}
        </Button>
        <Button size="md" variant="default" onClick={onSave} disabled={!mayCreate || pending || isBroken}>
          {t`Create only`}
        </Button>
        {why && (
          <Text size="xs" c="var(--text-dim)">
            {why}
          </Text>
        )}
      </Group>
    </div>
  );
}
