import { t } from '@lingui/core/macro';
import { ActionIcon } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { IconCheck, IconLink } from '@tabler/icons-react';
import { useEffect } from 'react';

function addressOf(id: string): string {
  const address = new URL(window.location.href);
  address.hash = id;
  return address.href;
}

/** Copies the address of a part of the page; into the address bar where the browser lets no page copy. */
export function CopyLink({ id, title }: { id: string; title: string }) {
  const { copied, copy, error } = useClipboard();
  useEffect(() => {
    if (error) window.location.hash = id;
  }, [error, id]);
  return (
    <>
      <ActionIcon
        className="no-print"
        aria-label={t`Copy link to ${title}`}
        onClick={() => copy(addressOf(id))}
      >
        {copied ? <IconCheck size={14} /> : <IconLink size={14} />}
      </ActionIcon>
      <span role="status" className="visually-hidden">
        {copied && t`Link copied`}
      </span>
    </>
  );
}
