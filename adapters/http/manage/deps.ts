import type { AssetCatalogue, Manage } from '../../../core/index.ts';

/** The settings that the management API needs. */
export interface ManageHttpSettings {
  /** The largest `size` of a list. */
  readonly pageMax: number;
  /** Logins a minute for each email; for each address the edge counts by itself. */
  readonly loginsPerMinute: number;
  /** Sends session cookies over https only: in production. */
  readonly secureCookies: boolean;
}

/** What the operations of the management API call. */
export interface ManageDeps {
  readonly settings: ManageHttpSettings;
  readonly manage: Manage;
  readonly assets: Pick<AssetCatalogue, 'chainName' | 'find'>;
}
