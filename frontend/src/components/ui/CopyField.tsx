import { t } from '@lingui/core/macro';
import { ActionIcon, CopyButton, Tooltip } from '@mantine/core';
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
              <ActionIcon variant="subtle" color="gray" onClick={copy} aria-label={t`Copy ${label}`}>
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
