import { QueryClient } from '@tanstack/react-query';
import { describe, expect, it } from 'vitest';
import { ageMs, noteServerTime } from './serverClock';

const at = (ms: number) => new Date(ms).toISOString();

describe('the age of a reading', () => {
  it('is by the clock of the server, whatever this machine shows', () => {
    const client = new QueryClient();
    noteServerTime(client, at(1_000_050), 5_000_000, 5_000_100); // this machine is 4,000 s ahead
    expect(ageMs(client, 1_000_050_000, 5_000_250)).toBe(200);
  });

  it('is unknown before the server has told its time', () =>
    expect(ageMs(new QueryClient(), 1_000_000, 2_000)).toBeUndefined());

  it('is by the answer that came soonest', () => {
    const client = new QueryClient();
    noteServerTime(client, at(10_000), 9_990, 10_010);
    noteServerTime(client, at(19_000), 19_000, 21_000); // says that this machine is a second ahead
    expect(ageMs(client, 29_900_000, 30_000)).toBe(100);
    noteServerTime(client, at(31_500), 30_998, 31_002);
    expect(ageMs(client, 32_000_000, 32_000)).toBe(500);
  });
});
