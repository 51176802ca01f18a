/** A chain with a real node (or the faithful fake of Tron's) as a payer, a miner and a looker-on see it. */
export interface ChainFixture {
  /** The till's code of the chain. */
  readonly chain: string;
  /** As the settings of the till name the plugin. */
  readonly plugin: { readonly use: string; readonly options: Readonly<Record<string, unknown>> };
  /** What the coins cost, in USD. */
  readonly prices: Readonly<Record<string, string>>;
  readonly confirmations: number;
  readonly spendableConfirmations: number;
  /** True where the clock of its blocks is behind the till's: an address for a refund seems to have been left after each payment. */
  readonly isBehind?: boolean;
  /**
   * Brings what no merchant pays in: coins for the fees of tokens, and for what sweeps cost beyond what merchants bear.
   *
   * @param hot - the till's hot address
   */
  provide(hot: string): Promise<void>;
  /** Pays from somebody's wallet; the transaction waits to be mined. Returns its id. */
  pay(to: string, currency: string, units: bigint): Promise<string>;
  mine(blocks: number): Promise<void>;
  height(): Promise<number>;
  /** What lies at an address in the last block. */
  balanceOf(address: string, currency: string): Promise<bigint>;
  /** What a mined transaction cost, in units of the chain's coin. */
  feeOf(txid: string): Promise<bigint>;
  /** The empty text for the chain's coin. */
  contractOf(currency: string): string;
  /** Somebody else's address that nobody has paid yet. */
  newAddress(): Promise<string>;
  stop(): Promise<void>;
}

/** A built-in pair of chain and currency. */
export interface Pair {
  readonly currency: string;
  readonly decimals: number;
  /** True for the chain's own coin, in which its fees are. */
  readonly native: boolean;
  /** What an order costs, in USD. */
  readonly price: string;
}
