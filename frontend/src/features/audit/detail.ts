import type { AuditEntryOut } from '@/api/generated';

type Detail = AuditEntryOut['detail'];

function text(value: unknown): string {
  if (Array.isArray(value)) return value.map(text).join(', ') || 'none';
  if (value === null || value === '') return 'none';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'object')
    return Object.entries(value)
      .map(([name, inner]) => `${words(name)} ${text(inner)}`)
      .join(', ');
  return String(value);
}

const words = (name: string) => name.replaceAll('_', ' ');

/** Of the settings, only those that changed, each with its new value. */
function settings({ changed, settings: values }: Detail): Detail {
  const all = (values ?? {}) as Detail;
  return Object.fromEntries((changed as string[]).map((name) => [name, all[name] ?? 'removed']));
}

/** An entry's detail as names and values that can be read. */
export function detailOf({ act, detail }: AuditEntryOut): { name: string; value: string }[] {
  const shown = act === 'settings-changed' ? settings(detail) : detail;
  return Object.entries(shown).map(([name, value]) => ({ name: words(name), value: text(value) }));
}
