import { act, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { useNear } from './useNear';

/** Reports the element where it is seen, or where it is looked for ahead of that. */
function placeAt(place: 'seen' | 'near' | 'far') {
  vi.stubGlobal(
    'IntersectionObserver',
    class {
      constructor(
        private readonly report: IntersectionObserverCallback,
        private readonly options: IntersectionObserverInit,
      ) {}
      observe() {
        const isAhead = this.options.rootMargin !== '0px';
        const isIntersecting = place === 'seen' || (place === 'near' && isAhead);
        this.report(
          [{ isIntersecting } as IntersectionObserverEntry],
          this as unknown as IntersectionObserver,
        );
      }
      disconnect() {}
    },
  );
}

function Part({ orWhenIdle }: { orWhenIdle: boolean }) {
  const [ref, isNear] = useNear<HTMLDivElement>({ orWhenIdle });
  return <div ref={ref}>{isNear ? 'here' : 'later'}</div>;
}

describe('useNear', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });

  it('has at once what is seen', () => {
    placeAt('seen');
    render(<Part orWhenIdle={false} />);
    expect(screen.getByText('here')).toBeInTheDocument();
  });

  it('leaves what is further down until the reader moves', () => {
    placeAt('near');
    render(<Part orWhenIdle={false} />);
    expect(screen.getByText('later')).toBeInTheDocument();
    act(() => void window.dispatchEvent(new Event('scroll')));
    expect(screen.getByText('here')).toBeInTheDocument();
  });

  it.each([
    ['near', false, 'here'],
    ['far', false, 'later'],
    ['far', true, 'here'],
  ] as const)('once the page rests: %s, also what is far: %s, is %s', (place, orWhenIdle, then) => {
    placeAt(place);
    render(<Part orWhenIdle={orWhenIdle} />);
    expect(screen.getByText('later')).toBeInTheDocument();
    act(() => void vi.runAllTimers());
    expect(screen.getByText(then)).toBeInTheDocument();
  });
});
