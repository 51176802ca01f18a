/** The known name that was most likely meant; `null` when none is near. */
export function nearestName(written: string, known: Iterable<string>): string | null {
  const most = written.length < 4 ? 1 : Math.floor(written.length / 3) + 1;
  let nearest: string | null = null;
  let least = most + 1;
  for (const name of known) {
    const steps = distance(written.toLowerCase(), name.toLowerCase());
    if (steps >= least) continue;
    least = steps;
    nearest = name;
  }
  return nearest;
}

/** The letters to insert, remove, replace or swap with their neighbour (optimal string alignment). */
function distance(one: string, other: string): number {
  let before: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let i = 1; i <= one.length; i++) {
    const row = [i];
    for (let j = 1; j <= other.length; j++) {
      const same = one[i - 1] === other[j - 1];
      const swapped = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      row[j] = Math.min(
        (last[j] ?? 0) + 1,
        (row[j - 1] ?? 0) + 1,
        (last[j - 1] ?? 0) + (same ? 0 : 1),
        swapped ? (before[j - 2] ?? 0) + 1 : Infinity,
      );
    }
    before = last;
    last = row;
  }
  return last[other.length] ?? 0;
}

/** Words for an error message; empty when no known name is near. */
export function didYouMean(written: string, known: Iterable<string>): string {
  const name = nearestName(written, known);
  return name === null ? '' : ` Did you mean "${name}"?`;
}
