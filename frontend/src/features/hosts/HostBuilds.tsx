import { t } from '@lingui/core/macro';
import type { HostSummary } from '@/api/generated';
import classes from './HostBuilds.module.css';

/** The builds of nginx that a host has, by name; where there are several, also where each lies. */
export function HostBuilds({ nginx }: Pick<HostSummary, 'nginx'>) {
  if (nginx.length === 0) return t`none`;
  return nginx.map(({ name, path, version }) => (
    <div key={path} className={classes.build} title={path}>
      {name === path ? version : name}
      {nginx.length > 1 && <small>{path}</small>}
    </div>
  ));
}
