import { readItems, storedItems } from '../../../../core/index.ts';
import type { PaymentLink } from '../../../../core/index.ts';
import type { Row } from '../dialects/dialect.ts';
import type { Change, Column } from './columns.ts';
import {
  changeOf,
  columnsOf,
  encodedField,
  flagField,
  integerField,
  integerOrNullField,
  jsonField,
  jsonOrNullField,
  readFields,
  textField,
  textOrNullField,
  unitsOrNullField,
} from './stored-fields.ts';
import type { StoredFields } from './stored-fields.ts';

const LINK: StoredFields<PaymentLink> = {
  id: textField('id'),
  accountId: textField('account_id'),
  token: textField('token'),
  face: textField('face'),
  title: textField('title'),
  description: textField('description'),
  vsCurrency: textField('vs_currency'),
  price: unitsOrNullField('price'),
  minPrice: unitsOrNullField('min_price'),
  maxPrice: unitsOrNullField('max_price'),
  items: encodedField('items', storedItems, readItems),
  tips: jsonField('tips'),
  coins: jsonOrNullField('coins'),
  maxSales: integerOrNullField('max_sales'),
  expiresAt: integerOrNullField('expires_at'),
  active: flagField('active'),
  returnUrl: textOrNullField('return_url'),
  callbackUrl: textOrNullField('callback_url'),
  timeoutCallback: textOrNullField('timeout_callback'),
  enablePostCallback: flagField('enable_post_callback'),
  fixedEncryptPrice: flagField('fixed_encrypt_price'),
  referencePrefix: textOrNullField('reference_prefix'),
  metadata: jsonField('metadata'),
  pairing: jsonOrNullField('pairing'),
  devices: jsonField('devices'),
  version: integerField('version'),
  createdAt: integerField('created_at'),
  updatedAt: integerField('updated_at'),
};

export const LINK_COLUMNS: readonly Column<PaymentLink>[] = columnsOf(LINK);

/** The link in a row of `payment_links`. */
export const linkOf = (row: Row): PaymentLink => readFields(LINK, row);

/** The columns of what may change of a link. */
export function linkChange({ id: _id, accountId: _account, token: _token, face: _face, ...link }: PaymentLink): Change {
  const { createdAt: _made, version, ...changes } = link;
  return changeOf(LINK, { ...changes, version: version + 1 });
}
