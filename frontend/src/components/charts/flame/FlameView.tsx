import { t } from '@lingui/core/macro';
import { Button, TextInput } from '@mantine/core';
import { useDeferredValue, useMemo, useState } from 'react';
import { FlameGraph } from './FlameGraph';
import { type Claim, FrameTable } from './FrameTable';
import {
  type FlameNode,
  foundCost,
  keyOf,
  nodeAt,
  type Profile,
  pathOf,
  strongestDifference,
  treeOf,
} from './flame';
import classes from './flame.module.css';
import { type Arms, foundWords, signed } from './words';

export interface ProfiledArm extends Profile {
  label: string;
}

interface Props {
  arm: ProfiledArm;
  /** What it is compared with. */
  against?: ProfiledArm | null;
  claims?: readonly Claim[];
}

/** What the colours mean. */
function Legend({ arms: { arm, against }, strongest }: { arms: Arms; strongest: number }) {
  if (against === null)
    return (
      <p className={classes.legend}>
        <span className={classes.swatch} />
        {t`nginx and libraries`}
        <span className={classes.swatch} data-kind="kernel" />
        {t`kernel`}
      </p>
    );
  return (
    <p className={classes.legend}>
      {t`${arm} costs less`} {signed(-strongest)}
      <span className={classes.scale} aria-hidden />
      {signed(strongest)} {t`${arm} costs more`}
      <span className={classes.unit}>{t`CPU a request, against ${against}`}</span>
    </p>
  );
}

/** The part that is shown, kept by its place while arms change. */
function useZoom(root: FlameNode) {
  const [path, setPath] = useState<readonly string[]>([]);
  return {
    zoomed: useMemo(() => nodeAt(root, path), [root, path]),
    zoom: (node: FlameNode) => setPath(pathOf(node)),
  };
}

/** Where the CPU time of an arm's requests goes, or by how much it differs from another's: graph and table in step. */
export function FlameView({ arm, against = null, claims }: Props) {
  const root = useMemo(() => treeOf(arm, against), [arm, against]);
  const strongest = useMemo(() => strongestDifference(root), [root]);
  const arms = useMemo(
    () => ({ arm: arm.label, against: against?.label ?? null }),
    [arm.label, against?.label],
  );
  const { zoomed, zoom } = useZoom(root);
  const [typed, setTyped] = useState('');
  const text = useDeferredValue(typed.trim());
  const [pointed, setPointed] = useState<string | null>(null);
  return (
    <div className={classes.view}>
      <div className={classes.bar}>
        <TextInput
          type="search"
          className="no-print"
          size="xs"
          aria-label={t`Search functions`}
          placeholder={t`Search functions`}
          value={typed}
          onChange={({ currentTarget }) => setTyped(currentTarget.value)}
        />
        <Button
          className="no-print"
          variant="default"
          size="compact-sm"
          disabled={!zoomed.parent}
          onClick={() => zoom(root)}
        >
          {t`Show all`}
        </Button>
        {zoomed.parent && <span className={classes.found}>{t`Shown: ${zoomed.name}`}</span>}
        <span role="status" className={classes.found}>
          {text && foundWords(foundCost(root, text), root, arms)}
        </span>
        <Legend arms={arms} strongest={strongest} />
      </div>
      <FlameGraph
        {...{ arms, root, strongest, text, zoomed }}
        onZoom={zoom}
        pointed={pointed}
        onPoint={(node) => setPointed(node && keyOf(node.name, node.module))}
      />
      <FrameTable {...{ arms, zoomed, text, claims, pointed }} onPoint={setPointed} onSearch={setTyped} />
    </div>
  );
}
