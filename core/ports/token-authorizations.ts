import type { CurrencyCode } from '../kernel/asset.ts';
import type { Authorization } from '../transfers/authorization.ts';

/** What a payer's wallet has to know to authorize a payment of a token. */
export interface AuthorizationTerms {
  /** The chain (CAIP-2), such as `eip155:1`. */
  readonly network: string;
  /** The token's contract. */
  readonly asset: string;
  /** The name in the domain of its signatures (EIP-712). */
  readonly name: string;
  /** The version in that domain. */
  readonly version: string;
}

/** Payments of tokens that a payer authorizes by a signature, and somebody else sends (EIP-3009). */
export interface TokenAuthorizations {
  /** `null` for a currency whose contract takes no authorizations. @throws TillgateError `NODE_FAILED` */
  terms(currency: CurrencyCode): Promise<AuthorizationTerms | null>;
  /**
   * True when the signature is that of the payer's own key, for this receiver. Signatures of contracts (EIP-1271) are not
   * taken: what checking them costs is in their hands.
   *
   * @throws TillgateError `UNSUPPORTED` for a currency without {@link TokenAuthorizations.terms}; `NODE_FAILED`
   */
  isSigned(authorization: Authorization, to: string): Promise<boolean>;
}
