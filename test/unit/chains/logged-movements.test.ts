import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isPaid, judgeMovements } from '../../../adapters/chains/logged-movements.ts';

const signed = { toKey: 'receiver', units: 1_000n };

describe('what a token logged of a payment', () => {
  for (const [name, movements, logged, paid] of [
    ['exactly what was signed', [signed], 'exact', true],
    ['exactly what was signed, beside another movement', [{ toKey: 'owner', units: 10n }, signed], 'exact', true],
    [
      'less to the receiver, and the rest as the fee',
      [
        { toKey: 'receiver', units: 990n },
        { toKey: 'owner', units: 10n },
      ],
      'fee',
      true,
    ],
    ['less to the receiver and nothing else', [{ toKey: 'receiver', units: 990n }], 'other', false],
    ['all of it to somebody else', [{ toKey: 'owner', units: 1_000n }], 'other', false],
    [
      'more than was signed',
      [
        { toKey: 'receiver', units: 990n },
        { toKey: 'owner', units: 20n },
      ],
      'other',
      false,
    ],
    ['nothing', [], 'none', false],
  ] as const)
    it(`fault 358: ${name} is ${paid ? 'a payment' : 'none'}`, () => {
      assert.equal(judgeMovements(movements, signed), logged);
      assert.equal(isPaid(logged), paid);
    });
});
