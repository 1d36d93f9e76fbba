import { act, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { serve } from '@/test/server';
import { show } from '@/test/show';
import ReportPage from '../ReportPage';
import { aReport, reportRoutes } from '../report.testdata';

async function open() {
  serve(reportRoutes(aReport()));
  const page = show(<ReportPage />, { path: '/runs/:runId/report', at: '/runs/run-1/report' });
  return { ...page, contents: within(await screen.findByRole('navigation', { name: 'Contents' })) };
}

describe('The contents of a report', () => {
  it('lead to every section, from top to bottom', async () => {
    const { contents } = await open();
    const links = contents.getAllByRole('link');
    const headings = screen.getAllByRole('heading', { level: 2 }).map(({ textContent }) => textContent);
    expect(links.map(({ textContent }) => textContent)).toEqual(['Verdict', ...headings]);
    const targets = links.map((link) => document.getElementById(link.getAttribute('href')?.slice(1) ?? ''));
    expect(targets).not.toContain(null);
    expect(new Set(targets).size).toBe(links.length);
  });

  it('unfold where there is no room for them, and fold when one is chosen', async () => {
    const { user, contents } = await open();
    const toggle = contents.getByRole('button', { name: /^Contents/ });
    await user.click(toggle);
    expect(toggle).toHaveAttribute('aria-expanded', 'true');
    await user.click(contents.getByRole('link', { name: 'Validity' }));
    expect(toggle).toHaveAttribute('aria-expanded', 'false');
  });
});

describe('What the verdict does not rest on', () => {
  const plan = () => screen.getByRole('button', { name: 'Plan' });
  const seed = () => screen.queryByText('Seed of the random order');

  afterEach(() => {
    window.location.hash = '';
  });

  it('is closed, and opened by its title, by the contents, and all at once', async () => {
    const { user, contents } = await open();
    await screen.findByRole('button', { name: 'Plan' });
    expect(plan()).toHaveAttribute('aria-expanded', 'false');
    expect(seed()).not.toBeVisible();
    await user.click(plan());
    expect(seed()).toBeVisible();
    await user.click(plan());
    await user.click(contents.getByRole('link', { name: 'Plan' }));
    expect(seed()).toBeVisible();
    await user.click(contents.getByRole('button', { name: 'Open all sections' }));
    expect(screen.queryByRole('button', { expanded: false, name: 'Configuration' })).not.toBeInTheDocument();
    await user.click(contents.getByRole('button', { name: 'Close all sections' }));
    expect(seed()).not.toBeVisible();
  });

  it('is opened by a search for its words, where the browser tells of it', async () => {
    await open();
    await screen.findByRole('button', { name: 'Plan' });
    const body = document.getElementById(plan().getAttribute('aria-controls') ?? '');
    expect(body).toHaveAttribute('hidden', 'until-found');
    act(() => void body?.dispatchEvent(new Event('beforematch')));
    expect(seed()).toBeVisible();
  });

  it('is all there on paper', async () => {
    await open();
    act(() => void window.dispatchEvent(new Event('beforeprint')));
    expect(seed()).toBeVisible();
  });
});

describe('A link to a part of a report', () => {
  it.each([
    ['Validity', '#validity'],
    ['Requests per second', '#time-requests-per-second'],
  ])('is copied beside it: %s', async (title, hash) => {
    const { user, contents } = await open();
    await user.click(contents.getByRole('button', { name: 'Open all sections' }));
    await user.click(await screen.findByRole('button', { name: `Copy link to ${title}` }));
    expect(new URL(await navigator.clipboard.readText()).hash).toBe(hash);
    expect(document.getElementById(hash.slice(1))).toHaveTextContent(title);
    expect(screen.getByText('Link copied')).toBeInTheDocument();
  });

  describe('that is opened', () => {
    const observed: { element: Element; report: () => void }[] = [];
    const shown: Element[] = [];
    /** The layout of the whole report changes; charts watch their own sizes, which stay. */
    const grow = () => {
      const validity = document.getElementById('validity');
      for (const { element, report } of observed) if (element.contains(validity)) report();
    };

    beforeEach(() => {
      observed.length = 0;
      shown.length = 0;
      vi.stubGlobal(
        'ResizeObserver',
        class extends window.ResizeObserver {
          #report: ResizeObserverCallback;
          constructor(report: ResizeObserverCallback) {
            super(report);
            this.#report = report;
          }
          override observe(element: Element) {
            observed.push({ element, report: () => this.#report([], this) });
          }
        },
      );
      vi.spyOn(Element.prototype, 'scrollIntoView').mockImplementation(function (this: Element) {
        shown.push(this);
      });
      window.location.hash = '#time-requests-per-second';
    });
    afterEach(() => {
      vi.unstubAllGlobals();
      window.location.hash = '';
    });

    it('shows a chart that comes late, and again when what is above it grows', async () => {
      await open();
      const chart = await screen.findByRole('figure', { name: /^Requests per second, requests/ });
      const times = () => shown.filter((part) => part === chart).length;
      act(grow);
      await waitFor(() => expect(times()).toBeGreaterThan(0));
      const before = times();
      act(grow);
      await waitFor(() => expect(times()).toBeGreaterThan(before));
    });
  });
});
