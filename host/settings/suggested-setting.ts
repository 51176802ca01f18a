import type { z } from 'zod';
import { didYouMean, nearestName } from './nearest-name.ts';

type Shape = Readonly<Record<string, z.core.$ZodType>>;

/** The settings of a section, by the schema without its defaults, refinements and lists; empty for a value. */
function shapesOf(schema: z.core.$ZodType): readonly Shape[] {
  const def = schema._zod.def as unknown as Readonly<Record<string, unknown>>;
  const inner = def['innerType'] ?? def['in'] ?? def['element'] ?? def['valueType'];
  if (def['type'] === 'object') return [def['shape'] as Shape];
  if (def['type'] === 'union') return (def['options'] as readonly z.core.$ZodType[]).flatMap(shapesOf);
  return inner === undefined ? [] : shapesOf(inner as z.core.$ZodType);
}

const namesIn = (shapes: readonly Shape[]): readonly string[] => shapes.flatMap((shape) => Object.keys(shape));

/** The setting that was most likely meant: one of the same section, else one of that name elsewhere; empty for none. */
export function suggestedSetting(schema: z.core.$ZodType, path: readonly PropertyKey[], key: string): string {
  let shapes = shapesOf(schema);
  for (const part of path) {
    // A place in a list is no setting.
    if (typeof part !== 'string') continue;
    const below = shapes.flatMap((shape) => (shape[part] === undefined ? [] : [shape[part]]));
    if (below.length > 0) shapes = below.flatMap(shapesOf);
  }
  const beside = didYouMean(key, namesIn(shapes));
  if (beside !== '') return beside;
  const sections = shapesOf(schema).flatMap((shape) => Object.entries(shape));
  for (const [section, below] of sections) {
    const name = nearestName(key, namesIn(shapesOf(below)));
    if (name !== null) return ` Did you mean "${section}.${name}"?`;
  }
  return '';
}
