import { t } from '@lingui/core/macro';
import { Button } from '@mantine/core';
import { useState } from 'react';
import type { Editing, Editor } from '@/api/generated';
import { useHasRole } from '@/api/session';
import { randomId } from '@/lib/randomId';
import { formatRelative } from '@/lib/time';
import { useNow } from '@/lib/useNow';
import { useEditing } from './api';
import classes from './Designer.module.css';
import type { Base } from './useSave';

interface Props {
  base: Base | null;
  /** Show what a newer version changed. */
  onShow: (version: number) => void;
}

/** While one edits: a version that was saved meanwhile, and who else edits the experiment. */
export function Others({ base, onShow }: Props) {
  const [editor] = useState(randomId);
  const maySave = useHasRole('experimenter');
  const editing = useEditing(maySave ? base : null, editor);
  const { data } = editing;
  if (!base || !data) return null;
  return (
    <>
      {data.version > base.version && (
        <span className={classes.newer} role="status">
          <NewerVersion editing={data} asked={editing.dataUpdatedAt} />
          <Button variant="default" size="compact-xs" onClick={() => onShow(data.version)}>
            {t`Show what changed`}
          </Button>
        </span>
      )}
      {[...new Set(data.others?.map(presence))].map((said) => (
        <span key={said}>{said}</span>
      ))}
    </>
  );
}

function presence({ name, is_self, version }: Editor): string {
  return is_self
    ? t`you edit version ${version} in another tab, too`
    : t`${name} edits version ${version}, too`;
}

/** `asked`: when the answer came, by this browser's clock; the server's own said how old the version was then. */
function NewerVersion({ editing, asked }: { editing: Editing; asked: number }) {
  const now = useNow(5_000);
  const { version, saved_by: author, saved_at, now: answered } = editing;
  const ago = formatRelative(saved_at, Date.parse(answered) + Math.max(0, now - asked));
  return <span>{t`version ${version} was saved by ${author} ${ago}`}</span>;
}
