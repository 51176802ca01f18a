import type { Edit } from './edits.ts';

/** A plausible mistake in the product. */
export interface Bug {
  readonly name: string;
  /** Changes of the syntax tree, made while the modules are loaded. */
  readonly edits?: readonly Edit[];
  /** Replaces methods of classes, before the first scenario. */
  readonly patch?: () => void;
  /** True for a bug that shows only when transactions overlap, so it is hunted on PostgreSQL. */
  readonly pg?: boolean;
}

/** A bug made by edits of the syntax tree. */
export const edited = (name: string, ...edits: readonly Edit[]): Bug => ({ name, edits });

/** A bug made by replaced methods. */
export const patched = (name: string, patch: () => void): Bug => ({ name, patch });
