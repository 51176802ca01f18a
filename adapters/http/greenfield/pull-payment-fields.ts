import { LIGHTNING_ASSET } from '../../../core/index.ts';
import type { AssetCatalogue, CurrencyCode } from '../../../core/index.ts';
import { InvalidRequest } from '../invalid-request.ts';
import { maybeText } from './fields.ts';
import { coinOf } from './payment-method-ids.ts';
import { DESCRIPTION } from './pull-payment-record.ts';

export const MAX_METHODS = 64;
export const MAX_METHOD = 64;
const MAX_NAME = 100;
/** What fits into the metadata of a pull payment. */
const MAX_DESCRIPTION = 500;
const DEFAULT_NAME = 'Payout';

export const nameField = maybeText(MAX_NAME, 'Heading of the claim page');
export const descriptionField = maybeText(MAX_DESCRIPTION, 'Kept and given back; not shown to the payee');
const CONTROL = /\p{Cc}+/gu;

/** A text on one line: a shop's reason may have several. */
const oneLine = (text: string): string => text.replaceAll(CONTROL, ' ').trim();

/** The name and the metadata of a pull payment that a shop makes. */
export function textsOf(
  { name, description }: { readonly name: string | null; readonly description: string | null },
  otherwise = DEFAULT_NAME,
): { readonly name: string; readonly metadata: Readonly<Record<string, string>> } {
  const kept = description === null ? '' : oneLine(description);
  return { name: name === null ? otherwise : oneLine(name), metadata: kept === '' ? {} : { [DESCRIPTION]: kept } };
}

/** The coins that payout methods name; `null` for all. @throws InvalidRequest when the till can pay none of them */
export function coinsOf(
  path: string,
  ids: readonly string[] | null,
  { assets }: { readonly assets: Pick<AssetCatalogue, 'enabled'> },
): readonly CurrencyCode[] | null {
  if (ids === null || ids.length === 0) return null;
  const found = ids.map((id) => coinOf(id, assets)?.currency).filter((code) => code !== undefined);
  const coins = [...new Set(found)].filter((code) => code !== LIGHTNING_ASSET.currency);
  if (coins.length > 0) return coins;
  const message = `none of ${ids.join(', ').slice(0, 200)} is a coin in which this store pays out`;
  throw new InvalidRequest([{ path, message }]);
}
