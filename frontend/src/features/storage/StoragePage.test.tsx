import { screen } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import type { LargeRun, StorageUse } from '@/api/generated';
import { serve } from '@/test/server';
import { rowsOf, show } from '@/test/show';
import StoragePage from './StoragePage';

const MIB = 2 ** 20;
const aLargeRun = (changes: Partial<LargeRun> = {}): LargeRun => ({
  id: 'run-1',
  experiment_name: 'Socket sharding',
  number: 1,
  created_by: 'ada@example.org',
  finished_at: '2026-01-02T03:05:15Z',
  starred: false,
  raw_bytes: 12 * MIB,
  ...changes,
});
const anUse = (changes: Partial<StorageUse> = {}): StorageUse => ({
  database_bytes: 100 * MIB,
  raw_bytes: 64 * MIB,
  shared_bytes: 3 * MIB,
  trials_to_remove: 0,
  runs_to_measure: 0,
  keep_raw_days: null,
  last_backup: null,
  last_proof: null,
  archive_key: '0123 4567 89ab cdef',
  largest: [],
  ...changes,
});
const open = (use: StorageUse, role: 'administrator' | 'experimenter' = 'administrator') => {
  serve(role === 'administrator' ? { 'GET /storage': use } : {});
  return show(<StoragePage />, { path: '/storage', role });
};

describe('StoragePage', () => {
  it('says what the database takes, and which runs take most of it', async () => {
    open(anUse({ largest: [aLargeRun(), aLargeRun({ id: 'run-2', number: 2, raw_bytes: 3 * MIB })] }));
    expect(await screen.findByText('100 MiB')).toBeInTheDocument();
    expect(screen.getByText('64.0 MiB')).toBeInTheDocument();
    expect(screen.getByText(/^None: raw data stays/)).toBeInTheDocument();
    expect(screen.queryByText('Being removed')).not.toBeInTheDocument();
    expect(rowsOf(screen.getByRole('table'))).toEqual([
      'Socket sharding #1 | 12.0 MiB | ada@example.org | 2 Jan 2026',
      'Socket sharding #2 | 3.00 MiB | ada@example.org | 2 Jan 2026',
    ]);
  });

  it('says what is still under way, and by which rule', async () => {
    open(anUse({ trials_to_remove: 12, runs_to_measure: 2, keep_raw_days: 90 }));
    expect(await screen.findByText('12 trials of deleted or old runs')).toBeInTheDocument();
    expect(screen.getByText('2 runs')).toBeInTheDocument();
    expect(screen.getByText(/^Removed after 90 days/)).toBeInTheDocument();
    expect(screen.getByText('No run has raw data yet.')).toBeInTheDocument();
  });

  it('says what backup there is, and whether it can be restored', async () => {
    const last_backup = {
      made_at: '2026-01-02T03:05:15Z',
      file: '/srv/lab.backup',
      bytes: 7 * MIB,
      took_s: 12,
      proven_at: null,
      trouble: null,
    };
    const { unmount } = open(anUse({ last_backup }));
    expect(await screen.findByText('/srv/lab.backup')).toBeInTheDocument();
    expect(screen.getByText('7.00 MiB')).toBeInTheDocument();
    expect(screen.getByText(/^None has been restored yet/)).toBeInTheDocument();
    unmount();
    open(anUse({ last_backup: { ...last_backup, trouble: 'no room' } }));
    expect(await screen.findByText('The last backup could not be restored: no room')).toBeInTheDocument();
  });

  it('says where there is no backup', async () => {
    open(anUse());
    expect(await screen.findByText('No backup has been made yet.')).toBeInTheDocument();
  });

  it('is for administrators', () => {
    open(anUse(), 'experimenter');
    expect(screen.getByText('Only administrators see this')).toBeInTheDocument();
  });
});
