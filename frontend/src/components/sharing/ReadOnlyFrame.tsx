import type { ReactNode } from 'react';
import { Logo } from '@/components/brand/Logo';
import { ColorSchemeControl } from '@/components/ui/ColorSchemeControl';
import classes from './ReadOnlyFrame.module.css';

/** Around a page for readers without an account. */
export function ReadOnlyFrame({ children }: { children: ReactNode }) {
  return (
    <main className={classes.shared}>
      <div className={classes.sharedTop}>
        <Logo />
        <div className="no-print">
          <ColorSchemeControl />
        </div>
      </div>
      {children}
    </main>
  );
}
