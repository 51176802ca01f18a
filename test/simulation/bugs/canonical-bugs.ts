import { confirmEffects } from '../../../core/deposits/confirm-effects.ts';
import { hasFacts } from '../../../core/deposits/same-facts.ts';
import type { TransferFacts } from '../../../core/deposits/same-facts.ts';
import type { ChainEffects } from '../../../core/index.ts';
import { nameOf } from '../../support/name-of.ts';
import { edited } from './bug.ts';
import type { Bug } from './bug.ts';
import { inModuleOf, within } from './edits.ts';

/** Assumptions that a transaction has the same effect in every block, and that a node's first answer is right. */
export const CANONICAL_BUGS: readonly Bug[] = [
  edited(
    "an orphaned deposit keeps the dead block's amount",
    within(hasFacts)
      .binary('===', { mentions: nameOf<TransferFacts>((facts) => facts.units) })
      .becomes(() => 'true'),
  ),
  edited(
    "an orphaned deposit keeps the dead block's receiver",
    within(hasFacts)
      .binary('===', { mentions: nameOf<TransferFacts>((facts) => facts.address) })
      .becomes(() => 'true'),
  ),
  edited(
    'a deposit is credited as it was first read',
    inModuleOf(confirmEffects)
      .call(nameOf<ChainEffects>((effects) => effects.dependsOnBlock))
      .becomes(() => 'false'),
  ),
];
