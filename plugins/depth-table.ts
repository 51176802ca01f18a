import type { EvmDefaults } from '../adapters/chains/evm/index.ts';
import type { UtxoDefaults } from '../adapters/chains/utxo/index.ts';
import type { ChainDefinition } from './chain-definition.ts';
import { KNOWN_CHAIN_DEFINITIONS } from './definitions.ts';

/** Fields that only some families of chains have. */
type DefinedDepths = ChainDefinition & Partial<Pick<EvmDefaults, 'tags'> & Pick<UtxoDefaults, 'tiers'>>;

/** The block tags by which a chain's deposits are credited and spent; confirmations alone without them. */
function marksOf({ tags }: DefinedDepths): string {
  if (tags === undefined) return '–';
  const { credit, spend } = tags;
  return credit === spend ? `\`${credit}\`` : `\`${credit}\`, \`${spend}\``;
}

/** The confirmations of a payment, and those of larger ones in whole coins. */
function creditedAfter({ confirmations, tiers = [], coin }: DefinedDepths): string {
  const whole = 10n ** BigInt(coin.decimals);
  const larger = tiers.map((tier) => `${tier.confirmations} above ${tier.above / whole} ${coin.symbol}`);
  return [String(confirmations), ...larger].join(', ');
}

/**
 * A Markdown table of the depths at which deposits of each built-in chain count, with the reasons: a row for each
 * chain.
 */
export function depthTable(definitions: readonly DefinedDepths[] = KNOWN_CHAIN_DEFINITIONS): string {
  const rows = definitions.map((definition) => {
    const { name, blockSeconds, spendableConfirmations, finalityBlocks, basis } = definition;
    const why = basis === null ? '' : `${basis.promise} [${basis.readOn}](${basis.source})`;
    const cells = [
      name,
      `${blockSeconds} s`,
      creditedAfter(definition),
      spendableConfirmations,
      marksOf(definition),
      finalityBlocks,
      why,
    ];
    return `| ${cells.join(' | ')} |`;
  });
  return [
    '| chain | block | credited after | may be spent after | and at the mark | reorganisations followed | what the chain promises, and when that was read |',
    '|---|---|---|---|---|---|---|',
    ...rows,
  ].join('\n');
}
