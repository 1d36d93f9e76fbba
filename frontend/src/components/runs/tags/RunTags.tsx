import { t } from '@lingui/core/macro';
import { Link } from 'react-router';
import classes from './RunTags.module.css';

export function RunTags({ tags, className = '' }: { tags: readonly string[]; className?: string }) {
  if (tags.length === 0) return null;
  return (
    <ul className={`${classes.tags} ${className}`} aria-label={t`Tags`}>
      {tags.map((tag) => (
        <li key={tag}>
          <Link
            to={`/runs?tag=${encodeURIComponent(tag)}`}
            className={classes.tag}
            title={t`Runs tagged ${tag}`}
          >
            {tag}
          </Link>
        </li>
      ))}
    </ul>
  );
}
