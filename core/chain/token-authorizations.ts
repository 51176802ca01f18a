import type { CurrencyCode } from '../kernel/index.ts';
import type { Authorization } from './authorization.ts';

/** The data that a payer's wallet needs to authorize a payment of a token. */
export interface AuthorizationTerms {
  /** The chain as a CAIP-2 id, such as `eip155:1`. */
  readonly network: string;
  readonly asset: string;
  /** The name in the EIP-712 domain of the signature. */
  readonly name: string;
  /** The version in the EIP-712 domain. */
  readonly version: string;
}

/** Token payments that a payer authorizes by a signature and another party sends (EIP-3009). */
export interface TokenAuthorizations {
  /** `null` for a currency whose contract supports no authorizations. @throws TillgateError `NODE_FAILED` */
  terms(currency: CurrencyCode): Promise<AuthorizationTerms | null>;
  /**
   * True when the payer's own key made the signature, for this receiver. Signatures of contracts (EIP-1271) are not
   * accepted, because the contract decides what checking them costs.
   *
   * @throws TillgateError `UNSUPPORTED` for a currency without {@link TokenAuthorizations.terms}; `NODE_FAILED`
   */
  isSigned(authorization: Authorization, to: string): Promise<boolean>;
}
