import { t } from '@lingui/core/macro';
import { ActionIcon, CopyButton, Stack, Text, Tooltip } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import classes from './CopyField.module.css';

/** A value to be taken elsewhere: shown whole, copied with one press. */
export function CopyField({ value, label }: { value: string; label: string }) {
  return (
    <div className={classes.copyField}>
      <code>{value}</code>
      <CopyButton value={value}>
        {({ copied, copy }) => (
          <>
            <Tooltip label={copied ? t`Copied` : t`Copy`}>
              <ActionIcon size="md" onClick={copy} aria-label={t`Copy ${label}`}>
                {copied ? <IconCheck size={15} /> : <IconCopy size={15} />}
              </ActionIcon>
            </Tooltip>
            <span className="visually-hidden" role="status">
              {copied && t`Copied`}
            </span>
          </>
        )}
      </CopyButton>
    </div>
  );
}

/** A secret just made, which nobody can read again later, and what to do with it. */
export function ShownOnce({ value, label, text }: { value: string; label: string; text: string }) {
  return (
    <Stack gap={4} mt="md" role="status">
      <Text size="sm">{text}</Text>
      <CopyField value={value} label={label} />
    </Stack>
  );
}
