import type { AssetCatalogue, Manage } from '../../../core/index.ts';

export interface ManageHttpSettings {
  /** Whether callback URLs may name private addresses. */
  readonly allowPrivateNetworks: boolean;
  /** The only hosts that callbacks may go to; any public host when left out. */
  readonly callbackHosts?: readonly string[] | null;
  /** Whether `/sandbox/v1/pay` can pay orders; false by default. */
  readonly sandbox?: boolean;
  /** Whether session cookies are sent over https only, as production requires. */
  readonly secureCookies: boolean;
}

export interface ManageDeps {
  readonly settings: ManageHttpSettings;
  readonly manage: Manage;
  readonly assets: Pick<AssetCatalogue, 'addressExplorer' | 'chainName' | 'explorer' | 'find' | 'list'>;
}
