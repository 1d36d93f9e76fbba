import { t } from '@lingui/core/macro';
import { ActionIcon } from '@mantine/core';
import { IconCheck, IconLink } from '@tabler/icons-react';
import { useEffect, useState } from 'react';

const SHOWN_MS = 2000;

/** The address of the part with this id; also into the address bar where the browser lets no page copy. */
async function copyLink(id: string): Promise<boolean> {
  const address = new URL(window.location.href);
  address.hash = id;
  try {
    await navigator.clipboard.writeText(address.href);
    return true;
  } catch {
    window.location.hash = id;
    return false;
  }
}

/** Copies the address of a part of the page. */
export function CopyLink({ id, title }: { id: string; title: string }) {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  return (
    <>
      <ActionIcon
        className="no-print"
        variant="subtle"
        color="gray"
        size="sm"
        aria-label={t`Copy link to ${title}`}
        onClick={() => void copyLink(id).then(setCopied)}
      >
        {isCopied ? <IconCheck size={14} /> : <IconLink size={14} />}
      </ActionIcon>
      <span role="status" className="visually-hidden">
        {isCopied && t`Link copied`}
      </span>
    </>
  );
}
