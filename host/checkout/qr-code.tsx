/** @jsxRuntime automatic */
/** @jsxImportSource preact */
import type { VNode } from 'preact';
import { encode } from 'uqr';

/** A text as a QR code drawn in the page itself: dark on white in every colour scheme, or scanners would miss it. */
export function QrCode({ text, label }: { readonly text: string; readonly label: string }): VNode {
  const { data, size } = encode(text, { ecc: 'M', border: 2 });
  const path = data.map((row, y) => rowPath(row, y)).join('');
  return (
    <svg class="qr" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label} shape-rendering="crispEdges">
      <path fill="#000" d={path} />
    </svg>
  );
}

function rowPath(row: readonly boolean[], y: number): string {
  let path = '';
  for (let x = 0; x < row.length; x++) {
    const from = x;
    while (row[x] === true) x++;
    if (x > from) path += `M${from} ${y}h${x - from}v1h-${x - from}z`;
  }
  return path;
}
