import '@testing-library/jest-dom/vitest';
import { i18n } from '@lingui/core';
import { cleanup, configure } from '@testing-library/react';
import { afterEach } from 'vitest';

// The texts of the code, which tests read without a catalog.
i18n.loadAndActivate({ locale: 'en', messages: {} });

// A slow machine fails no test.
configure({ asyncUtilTimeout: 30_000 });
afterEach(cleanup);

/** jsdom has no layout and no media queries; Mantine and the charts ask for both. */
class FixedResizeObserver implements ResizeObserver {
  constructor(private readonly report: ResizeObserverCallback) {}
  observe(target: Element) {
    const contentRect = {
      width: 600,
      height: 200,
      x: 0,
      y: 0,
      top: 0,
      left: 0,
      right: 600,
      bottom: 200,
    } as DOMRect;
    this.report([{ target, contentRect } as ResizeObserverEntry], this);
  }
  unobserve() {}
  disconnect() {}
}

/** Text areas that grow listen for fonts; CodeMirror measures text; lists scroll to an option. jsdom has none of it. */
Object.defineProperty(document, 'fonts', { value: new EventTarget() });
Range.prototype.getClientRects = () => [] as unknown as DOMRectList;
Element.prototype.scrollIntoView ??= () => {};
window.scrollTo = () => {};

/** Everything is near where nothing has a place. */
class NearIntersectionObserver {
  constructor(private readonly report: IntersectionObserverCallback) {}
  observe(target: Element) {
    this.report(
      [{ target, isIntersecting: true } as IntersectionObserverEntry],
      this as unknown as IntersectionObserver,
    );
  }
  disconnect() {}
}

window.ResizeObserver ??= FixedResizeObserver;
window.IntersectionObserver ??= NearIntersectionObserver as unknown as typeof IntersectionObserver;
window.matchMedia ??= (query: string) =>
  ({
    matches: false,
    media: query,
    onchange: null,
    addEventListener: () => {},
    removeEventListener: () => {},
    addListener: () => {},
    removeListener: () => {},
    dispatchEvent: () => false,
  }) as MediaQueryList;
