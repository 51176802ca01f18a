import type { AssetCatalogue, Manage } from '../../../core/index.ts';

export interface ManageHttpSettings {
  /** The largest `size` of a list. */
  readonly pageMax: number;
  /** Logins a minute for each email; the limit of each client address is separate. */
  readonly loginsPerMinute: number;
  /** Callback URLs may name private addresses. */
  readonly allowPrivateNetworks: boolean;
  /** The only hosts that callbacks go to; without it any public one. */
  readonly callbackHosts?: readonly string[] | null;
  /** Orders can be paid by `/sandbox/v1/pay`; false by default. */
  readonly sandbox?: boolean;
  /** Session cookies over https only: in production. */
  readonly secureCookies: boolean;
}

export interface ManageDeps {
  readonly settings: ManageHttpSettings;
  readonly manage: Manage;
  readonly assets: Pick<AssetCatalogue, 'chainName' | 'find' | 'list'>;
}
