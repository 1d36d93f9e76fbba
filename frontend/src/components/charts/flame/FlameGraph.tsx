import { t } from '@lingui/core/macro';
import { useElementSize } from '@mantine/hooks';
import {
  type CSSProperties,
  type KeyboardEvent,
  memo,
  type PointerEvent,
  useId,
  useMemo,
  useState,
} from 'react';
import tooltip from '../tooltip.module.css';
import {
  type Box,
  boxesOf,
  costOf,
  differenceOf,
  type FlameNode,
  isFound,
  isKernel,
  keyOf,
  moved,
} from './flame';
import classes from './flame.module.css';
import { type Arms, costRows, labelOf, nameOf } from './words';

const ROW_PX = 20;
/** What is narrower joins its neighbours. */
const NARROWEST_PX = 3;
const LABEL_FROM_PX = 28;
/** Until the page has told, and where it has no layout. */
const USUAL_PX = 1000;

interface Look {
  arms: Arms;
  root: FlameNode;
  /** The difference whose colour is strongest. */
  strongest: number;
  /** What is searched for. */
  text: string;
}

/** From 0 for no difference to 100 for the strongest. */
function strengthOf(box: Box, { arms, strongest }: Look): number {
  return arms.against ? Math.round((Math.abs(differenceOf(costOf(box))) / strongest) * 100) : 0;
}

function kindOf(box: Box, { arms }: Look): string | undefined {
  if (box.joined.length > 0 && !arms.against) return 'joined';
  if (arms.against) return differenceOf(costOf(box)) > 0 ? 'more' : 'less';
  return isKernel(box.node) ? 'kernel' : undefined;
}

/** Whether a box is, or stands for, something that is found. */
const isBoxFound = ({ node, joined }: Box, text: string) =>
  joined.length > 0 ? joined.some((one) => isFound(one, text)) : isFound(node, text);

interface BoxesProps {
  boxes: readonly Box[];
  look: Look;
  width: number;
  /** Names the elements. */
  id: string;
  zoomedDepth: number;
}

/** Not drawn anew while the pointer moves over them. */
const Boxes = memo(function Boxes({ boxes, look, width, id, zoomedDepth }: BoxesProps) {
  return boxes.map((box, index) => {
    const style = {
      left: `${box.left * 100}%`,
      width: `${box.width * 100}%`,
      top: box.node.depth * ROW_PX,
      '--strength': `${strengthOf(box, look)}%`,
    } as CSSProperties;
    return (
      // biome-ignore lint/a11y/useFocusableInteractive: the tree has the focus, and says which of them is the active one
      <div
        key={box.node.id}
        id={`${id}-${box.node.id}`}
        role="treeitem"
        aria-level={box.node.depth + 1}
        aria-label={labelOf(box, look.root, look.arms)}
        data-place={index}
        data-kind={kindOf(box, look)}
        data-found={isBoxFound(box, look.text) || undefined}
        data-caller={box.node.depth < zoomedDepth || undefined}
        className={classes.box}
        style={style}
      >
        {box.width * width >= LABEL_FROM_PX && nameOf(box)}
      </div>
    );
  });
});

const isOf = ({ node }: Box, key: string | null) => key !== null && keyOf(node.name, node.module) === key;

/** Around a box, apart from it: to move one draws nothing else anew. */
function Outline({ box, isAt }: { box: Box; isAt: boolean }) {
  const style = { left: `${box.left * 100}%`, width: `${box.width * 100}%`, top: box.node.depth * ROW_PX };
  return (
    <div className={`${classes.outline} no-print`} data-at={isAt || undefined} style={style} aria-hidden />
  );
}

/** The figures of a box, beside it. */
function Tip({ box, depth, look }: { box: Box; depth: number; look: Look }) {
  const isLeft = box.left + box.width / 2 < 0.5;
  const isUpper = box.node.depth < depth / 2 || box.node.depth < 5;
  const style: CSSProperties = {
    ...(isLeft ? { left: `${box.left * 100}%` } : { right: `${(1 - box.left - box.width) * 100}%` }),
    ...(isUpper
      ? { top: (box.node.depth + 1) * ROW_PX + 4 }
      : { bottom: (depth - box.node.depth) * ROW_PX + 4 }),
  };
  return (
    <div className={`${tooltip.tooltip} ${classes.tip} no-print`} style={style} aria-hidden>
      <div className={classes.tipName}>{nameOf(box)}</div>
      {costRows(box, look.root, look.arms).map(([name, value]) => (
        <div key={name} className={tooltip.tooltipEntry}>
          <span className={tooltip.tooltipLabel}>{name}</span>
          <span className={tooltip.tooltipValue}>{value}</span>
        </div>
      ))}
    </div>
  );
}

function placeOf(event: { target: EventTarget }): number | null {
  const place = (event.target as Element).closest<HTMLElement>('[data-place]')?.dataset.place;
  return place === undefined ? null : Number(place);
}

/** What a box leads to: of joined ones first to their caller, which shows them wider, then to the widest. */
function zoomOf({ node, joined }: Box, zoomed: FlameNode): FlameNode {
  if (joined.length === 0) return node;
  if (node.parent && node.parent !== zoomed) return node.parent;
  const cost = ({ total }: FlameNode) => total.arm + total.against;
  return joined.reduce((widest, one) => (cost(one) > cost(widest) ? one : widest), node);
}

export interface FlameGraphProps extends Look {
  zoomed: FlameNode;
  onZoom: (node: FlameNode) => void;
  /** The key of the function that is looked at, here or in the table. */
  pointed: string | null;
  /** The frame under the pointer, or that the keyboard is at. */
  onPoint: (node: FlameNode | null) => void;
}

/** The box that is read: where the pointer is, else where the keyboard is, which begins at the zoomed one. */
function usePlaces(boxes: readonly Box[], { zoomed, onPoint }: FlameGraphProps) {
  const [pointed, point] = useState<number | null>(null);
  const [isFocused, setFocused] = useState(false);
  const [at, setAt] = useState<FlameNode>(zoomed);
  const found = boxes.findIndex(({ node, joined }) => node === at || joined.includes(at));
  const place = found === -1 ? boxes.findIndex(({ node }) => node === zoomed) : found;
  const read = (index: number | null) => {
    if (index === pointed) return;
    point(index);
    onPoint((index === null ? null : boxes[index]?.node) ?? null);
  };
  return {
    place,
    isFocused,
    read: boxes[pointed ?? (isFocused ? place : -1)] ?? null,
    onPointerMove: (event: PointerEvent) => read(placeOf(event)),
    onPointerLeave: () => read(null),
    onFocus: () => setFocused(true),
    onBlur: () => {
      setFocused(false);
      onPoint(null);
    },
    moveTo: (node: FlameNode) => {
      setAt(node);
      point(null);
      onPoint(node);
    },
  };
}

/** What a key does at `at`: the frame to go to, and the one to zoom to. `null`: nothing. */
function keyed(boxes: readonly Box[], at: Box, zoomed: FlameNode, key: string) {
  if (key === 'Enter') return { to: at.node, zoom: zoomOf(at, zoomed) };
  if (key === 'Escape') return zoomed.parent && { to: zoomed.parent, zoom: zoomed.parent };
  const root = boxes[0]?.node;
  if (key === 'Home') return root ? { to: root, zoom: root } : null;
  return key.startsWith('Arrow') ? { to: moved(boxes, at, key).node, zoom: null } : null;
}

/** Callers above what they call; as wide as what it costs. Keys: arrows move, Enter zooms in, Escape out, Home shows all. */
export function FlameGraph(props: FlameGraphProps) {
  const { arms, root, strongest, text, zoomed, pointed, onZoom } = props;
  const id = useId();
  const { ref, width: measured } = useElementSize<HTMLDivElement>();
  const width = measured || USUAL_PX;
  const boxes = useMemo(() => boxesOf(zoomed, NARROWEST_PX / width), [zoomed, width]);
  const look = useMemo(() => ({ arms, root, strongest, text }), [arms, root, strongest, text]);
  const { place, isFocused, read, moveTo, ...acts } = usePlaces(boxes, props);
  const depth = 1 + Math.max(...boxes.map(({ node }) => node.depth));
  const from = isFocused ? place : -1;

  function onKeyDown(event: KeyboardEvent) {
    const at = boxes[place];
    const act = at && keyed(boxes, at, zoomed, event.key);
    if (!act) return;
    event.preventDefault();
    moveTo(act.to);
    if (act.zoom) onZoom(act.zoom);
    document.getElementById(`${id}-${act.to.id}`)?.scrollIntoView({ block: 'nearest' });
  }
  const onClick = (event: { target: EventTarget }) => {
    const box = boxes[placeOf(event) ?? -1];
    if (!box) return;
    moveTo(box.node);
    onZoom(zoomOf(box, zoomed));
  };
  return (
    <div className={classes.scroll}>
      <div
        ref={ref}
        role="tree"
        tabIndex={0}
        aria-label={t`Flame graph: arrows move, Enter zooms in, Escape out, Home shows all`}
        aria-activedescendant={isFocused ? `${id}-${boxes[place]?.node.id}` : undefined}
        className={classes.graph}
        data-searched={text !== '' || undefined}
        style={{ height: depth * ROW_PX }}
        {...acts}
        onKeyDown={onKeyDown}
        onClick={onClick}
      >
        <Boxes boxes={boxes} look={look} width={width} id={id} zoomedDepth={zoomed.depth} />
        {boxes.map((box, index) =>
          index === from || (box.joined.length === 0 && isOf(box, pointed)) ? (
            <Outline key={box.node.id} box={box} isAt={index === from} />
          ) : null,
        )}
        {read && <Tip box={read} depth={depth} look={look} />}
      </div>
    </div>
  );
}
