import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { ReactNode } from 'react';

export type PairKind = 'variable' | 'header';

interface Words {
  all: string;
  /** One by its name, or by its place. */
  one: (name: string | number) => string;
  nameOf: (number: number) => string;
  add: ReactNode;
}

const variables = (of: string): Words => ({
  all: t`variables of ${of}`,
  one: (name) => t`variable ${name} of ${of}`,
  nameOf: (number) => t`Name of variable ${number} of ${of}`,
  add: (
    <Trans>
      variable<span className="visually-hidden"> for {of}</span>
    </Trans>
  ),
});

const headers = (of: string): Words => ({
  all: t`headers of ${of}`,
  one: (name) => t`header ${name} of ${of}`,
  nameOf: (number) => t`Name of header ${number} of ${of}`,
  add: (
    <Trans>
      header<span className="visually-hidden"> for {of}</span>
    </Trans>
  ),
});

/** What pairs of names and values are called. `of`: whose they are, for those who do not see the page. */
export const pairWords = (kind: PairKind, of: string): Words =>
  kind === 'variable' ? variables(of) : headers(of);
