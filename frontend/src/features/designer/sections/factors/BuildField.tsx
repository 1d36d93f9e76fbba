import { t } from '@lingui/core/macro';
import { Autocomplete } from '@mantine/core';
import { useHosts } from '@/api/useHosts';
import { textOfProblems, useField, useStore, useValue } from '../../designerContext';
import { withValue } from '../../model/paths';

/** Which nginx the arms of a level run: a name that a host's binary answers to, or any that a run then binds. */
export function BuildField({ path, label }: { path: string; label: string }) {
  const store = useStore();
  const value = useValue<string | null>(path) ?? '';
  const problems = useField(path, label);
  const { data: hosts } = useHosts();
  const names = new Set((hosts ?? []).flatMap(({ nginx }) => nginx.map(({ name }) => name)));
  return (
    <Autocomplete
      data-field={path}
      aria-label={label}
      placeholder={t`Build, such as nginx-1.22.1`}
      size="xs"
      mb={4}
      maxLength={100}
      spellCheck={false}
      data={[...names].filter((name) => !name.includes('/'))}
      value={value}
      error={textOfProblems(problems)}
      onChange={(text) => store.change((draft) => withValue(draft, path, text), path)}
    />
  );
}
