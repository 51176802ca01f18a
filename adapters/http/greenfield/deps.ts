import type {
  AssetCatalogue,
  ChainRegistry,
  ChainReports,
  ChoosePayment,
  ClaimPullPayment,
  Clock,
  Manage,
  OrderQueries,
  OrderSettings,
  ShopOrders,
  Storage,
} from '../../../core/index.ts';

/** What the operations for shop plugins need. */
export interface GreenfieldDeps {
  readonly manage: Pick<Manage, 'callbacks' | 'credentials' | 'orders' | 'pullPayments' | 'rates' | 'webhooks'>;
  readonly shopOrders: Pick<ShopOrders, 'create' | 'find' | 'each' | 'change'>;
  readonly choosePayment: Pick<ChoosePayment, 'options'>;
  readonly claimPullPayment: Pick<ClaimPullPayment, 'claim' | 'page'>;
  readonly orderQueries: Pick<OrderQueries, 'claimUrl'>;
  readonly chainReports: Pick<ChainReports, 'refresh'>;
  readonly assets: AssetCatalogue;
  readonly chains: ChainRegistry;
  readonly clock: Clock;
  readonly storage: { readonly accounts: Pick<Storage['accounts'], 'find' | 'findCredential'> };
  /** The settings of orders, as they are at present. */
  readonly orders: () => OrderSettings;
}
