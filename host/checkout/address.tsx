/** @jsxRuntime automatic */
/** @jsxImportSource preact */
import type { VNode } from 'preact';

const GROUP = 4;

/** An address in groups of four, the first and the last emphasised for comparison. The copied text has no gaps. */
export function Address({ text }: { readonly text: string }): VNode {
  const groups = groupsOf(text);
  return (
    <code class="address" dir="ltr">
      {groups.map((group, at) =>
        at === 0 || at === groups.length - 1 ? <b key={at}>{group}</b> : <span key={at}>{group}</span>,
      )}
    </code>
  );
}

/** `0x` belongs to the first group, and the last one is always complete. */
export function groupsOf(address: string): readonly string[] {
  const start = (address.startsWith('0x') ? 2 : 0) + GROUP;
  if (address.length <= start + GROUP) return [address];
  const middle = address.slice(start, -GROUP).match(/.{1,4}/gsu) ?? [];
  return [address.slice(0, start), ...middle, address.slice(-GROUP)];
}
