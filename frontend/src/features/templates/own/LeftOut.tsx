import { t } from '@lingui/core/macro';
import { Text } from '@mantine/core';
import { type GivenFile, leftOut } from '@/domain/configurations';

const named = (paths: readonly string[]) =>
  paths.slice(0, 3).join(', ') + (paths.length > 3 ? ` + ${paths.length - 3}` : '');

interface Props {
  /** Paths of what was not even read. */
  unread: readonly string[];
  files: readonly GivenFile[];
  /** So many files are sent. */
  most: number;
}

/** What of the chosen files is not sent. */
export function LeftOut({ unread, files, most }: Props) {
  const many = leftOut(files);
  const [largest, beyond] = [named(unread), named(many)];
  return (
    <div role="status">
      {unread.length > 0 && (
        <Text size="sm" c="var(--warning)">
          {t`Not read, since a file may have 1 MiB and a folder 3,000 files: ${largest}`}
        </Text>
      )}
      {many.length > 0 && (
        <Text size="sm" c="var(--warning)">
          {t`Included, but left out, since a configuration may have ${most} files: ${beyond}`}
        </Text>
      )}
    </div>
  );
}
