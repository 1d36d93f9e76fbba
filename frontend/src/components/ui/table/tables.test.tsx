import { Table } from '@mantine/core';
import { screen } from '@testing-library/react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { show } from '@/test/show';
import { HeadRow } from './HeadRow';
import { Pages } from './Pages';
import { WideTable } from './WideTable';

const table = (
  <WideTable minWidth={720}>
    <Table aria-label="Hosts" />
  </WideTable>
);

describe('WideTable', () => {
  afterEach(() => vi.restoreAllMocks());

  it('is reached by the keyboard where it scrolls', async () => {
    vi.spyOn(Element.prototype, 'scrollWidth', 'get').mockReturnValue(720);
    vi.spyOn(Element.prototype, 'clientWidth', 'get').mockReturnValue(390);
    const { user } = show(table);
    await user.tab();
    expect(screen.getByRole('group', { name: 'Table, scrolls sideways' })).toHaveFocus();
  });

  it('is no stop of the keyboard where all of it is seen', () => {
    show(table);
    expect(screen.getByRole('table')).toBeVisible();
    expect(screen.queryByRole('group')).toBeNull();
  });
});

it('says in each cell which column it is of', () => {
  show(
    <WideTable minWidth={720}>
      <table>
        <thead>
          <tr>
            <th>Metric</th>
            <th>Arm</th>
            <th>Mean</th>
            <th>
              <span className="visually-hidden">Details</span>
            </th>
          </tr>
        </thead>
        <tbody>
          <tr>
            <th rowSpan={2}>Requests</th>
            <td>off</td>
            <td>1</td>
            <td>open</td>
          </tr>
          <tr>
            <td>on</td>
            <td colSpan={2}>not measured</td>
          </tr>
        </tbody>
      </table>
    </WideTable>,
  );
  const named = [...document.querySelectorAll('tbody :is(th, td)')].map((cell) => [
    cell.textContent,
    cell.getAttribute('data-column'),
  ]);
  expect(named).toEqual([
    ['Requests', 'Metric'],
    ['off', 'Arm'],
    ['1', 'Mean'],
    ['open', ''],
    ['on', 'Arm'],
    ['not measured', 'Mean'],
  ]);
});

it('says that buttons of its head sort, for where they name no columns', () => {
  const onSort = vi.fn();
  const head = (sorts: boolean) => (
    <Table>
      <HeadRow columns={[sorts ? { name: 'Run', sort: { direction: null, onSort } } : 'Run', 'Host']} />
    </Table>
  );
  const { unmount } = show(head(true));
  expect(screen.getByRole('row')).toHaveAttribute('data-sorts', 'Sort by');
  unmount();
  show(head(false));
  expect(screen.getByRole('row')).not.toHaveAttribute('data-sorts');
});

describe('Pages', () => {
  it('names its arrows', async () => {
    const onPage = vi.fn();
    const { user } = show(<Pages total={60} size={20} page={2} onPage={onPage} />);
    await user.click(screen.getByRole('button', { name: 'Next page' }));
    await user.click(screen.getByRole('button', { name: 'Previous page' }));
    expect(onPage.mock.calls).toEqual([[3], [1]]);
    expect(screen.getByRole('button', { name: '2' })).toHaveAttribute('aria-current', 'page');
  });
});
