import { KeyField, TextField } from '../../fields/inputs';
import type { Draft } from '../../model/draft/draft';
import type { Naming } from '../../model/structure';

interface Props {
  path: string;
  labels: readonly [label: string, key: string];
  hideLabel?: boolean;
  /** Without its key, which then follows the name. */
  hideKey?: boolean;
  rename: (draft: Draft, naming: Naming) => Draft;
}

/** What a factor or a level is called, and the key by which others name it. */
export function Names({ path, labels: [label, key], hideLabel, hideKey, rename }: Props) {
  return (
    <>
      <TextField
        path={`${path}.label`}
        label={label}
        hideLabel={hideLabel}
        change={(draft, text) => rename(draft, { label: text })}
        size={hideLabel ? 'xs' : undefined}
        maxLength={120}
      />
      {!hideKey && (
        <KeyField
          path={`${path}.key`}
          label={key}
          hideLabel={hideLabel}
          change={(draft, text) => rename(draft, { key: text })}
        />
      )}
    </>
  );
}
