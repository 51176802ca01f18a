/** @jsxRuntime automatic */
/** @jsxImportSource preact */
import type { VNode } from 'preact';
import { encode } from 'uqr';

/** Longer texts are drawn with less redundancy, because small modules are harder to read than missing ones. */
const LONG = 180;
/** The quiet zone around the code, in modules (ISO/IEC 18004 requires four). */
const QUIET = 4;

const KEPT_MOST = 1000;

interface Drawing {
  readonly size: number;
  readonly path: string;
}

/** Choosing the best mask takes longer than the rest of the page; one drawing serves every state and language. */
const drawings = new Map<string, Drawing>();

/** A text as an inline QR code, dark on white in every colour scheme, because scanners expect that. */
export function QrCode({ text, label }: { readonly text: string; readonly label: string }): VNode {
  const { size, path } = drawingOf(text);
  return (
    <svg class="qr" viewBox={`0 -.5 ${size} ${size}`} role="img" aria-label={label} shape-rendering="crispEdges">
      <path stroke="#000" d={path} />
    </svg>
  );
}

function drawingOf(text: string): Drawing {
  const known = drawings.get(text);
  if (known !== undefined) return known;
  const { data, size } = encode(text, { ecc: text.length > LONG ? 'L' : 'M', border: QUIET });
  const drawing = { size, path: data.map((row, y) => rowPath(row, y)).join('') };
  drawings.set(text, drawing);
  const oldest = drawings.size > KEPT_MOST ? drawings.keys().next().value : undefined;
  if (oldest !== undefined) drawings.delete(oldest);
  return drawing;
}

/** Each run of dark modules as a line of width one. */
function rowPath(row: readonly boolean[], y: number): string {
  let path = '';
  for (let x = 0; x < row.length; x++) {
    const from = x;
    while (row[x] === true) x++;
    if (x > from) path += `M${from} ${y}h${x - from}`;
  }
  return path;
}
