import { renderHook } from '@testing-library/react';
import { expect, it } from 'vitest';
import { useSteadyOrder } from './liveLines';

const itself = (name: string) => name;

it('leaves each its place once they are settled, and puts what comes later behind', () => {
  const { result, rerender } = renderHook(
    ({ items, isSettled }) => useSteadyOrder(items, itself, isSettled),
    { initialProps: { items: ['b', 'd'], isSettled: false } },
  );
  rerender({ items: ['a', 'b', 'd'], isSettled: false });
  expect(result.current).toEqual(['a', 'b', 'd']);
  rerender({ items: ['a', 'b', 'd'], isSettled: true });
  rerender({ items: ['a', 'b', 'c', 'd'], isSettled: true });
  expect(result.current).toEqual(['a', 'b', 'd', 'c']);
  rerender({ items: ['a', 'b'], isSettled: false });
  expect(result.current).toEqual(['a', 'b']);
  rerender({ items: ['a', 'b', 'c', 'd'], isSettled: true });
  expect(result.current).toEqual(['a', 'b', 'd', 'c']);
});

it('keeps together what has one name', () => {
  const { result, rerender } = renderHook(
    ({ items }) => useSteadyOrder(items, (item) => item[0] ?? '', true),
    {
      initialProps: { items: ['a', 'b'] },
    },
  );
  rerender({ items: ['a1', 'a2', 'b'] });
  expect(result.current).toEqual(['a1', 'a2', 'b']);
});
