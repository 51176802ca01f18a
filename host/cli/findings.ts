/** What a finding means for the till, and what a person does about it. */
interface Explanation {
  readonly means: string;
  readonly advice: string;
}

/** Everything that `doctor` can find wrong or weak. */
export const FINDINGS = {
  'configuration-wrong': {
    means: 'The till does not start with these settings.',
    advice: 'Correct the settings that are named in tillgate.config.json or the environment, and run doctor again.',
  },
  'setting-weak': {
    means: 'The till works, but this setting protects less than it could.',
    advice: 'Change the setting that is named, or decide that the risk is yours.',
  },
  'database-unusable': {
    means: 'Nothing can be stored, so no order is taken and nothing is paid out.',
    advice:
      'See that the database runs, that its address and password are right, and that it belongs to this master key and release.',
  },
  'clock-wrong': {
    means: 'This instance holds no leases: it neither follows chains nor pays out while another one could.',
    advice: 'Synchronise the clocks of this machine and of the database by NTP.',
  },
  'signer-unreachable': {
    means: 'Payouts and sweeps wait; orders and deposits go on.',
    advice: 'Start `tillgate signer` and see that the address in the setting signer is its own.',
  },
  'signer-stopped': {
    means: 'Somebody stopped signing, so payouts and sweeps wait; orders and deposits go on.',
    advice: 'When the reason is over, run `tillgate signer resume` where the signer runs.',
  },
  'plugins-unusable': {
    means: 'The till does not start: a plugin cannot be set up, or a setting does not fit the chains.',
    advice: 'Correct the options of the plugin that is named, or take it out of the setting plugins.',
  },
  'node-unusable': {
    means: 'The chain is not read: its deposits are not seen, its orders do not expire, and nothing is paid out on it.',
    advice: 'See that the node runs and that its address and password in the plugin’s options are right.',
  },
  'node-of-another-network': {
    means: 'The chain stops: what this node says is of another network than what the till has booked.',
    advice: 'Correct the address of the node. Take a new database for another network.',
  },
  'chain-stopped': {
    means: 'The chain is neither read nor paid on until an operator has decided.',
    advice:
      'Find out what the reason says; then `tillgate chain resume CODE` goes on from the last block that node and database share.',
  },
  'node-behind': {
    means: 'New deposits are seen late, and orders do not expire meanwhile.',
    advice: 'Wait until the node has caught up; when it does not, see its log, its disk and its peers.',
  },
  'chain-not-read': {
    means: 'Deposits of the newest blocks are not credited yet, and orders do not expire meanwhile.',
    advice: 'See what the node answers; give another node where it stays so.',
  },
  'payouts-stopped': {
    means: 'Nothing is paid out on this chain, since the chain and the ledger do not agree.',
    advice: 'Run `tillgate wallet reconcile`, find the cause, then `tillgate chain resume-payouts CODE`.',
  },
  'payouts-wait': {
    means: 'The database may be a restored backup, so nothing is paid out yet; orders and deposits go on.',
    advice: 'Run `tillgate restore status` and decide as it says.',
  },
  'lightning-unusable': {
    means: 'No Lightning invoice is made and none is paid.',
    advice:
      'See that the Lightning node runs and is unlocked, and that its address and credential in the plugin’s options are right.',
  },
  'price-missing': {
    means: 'Orders in the coin that is named are refused, since nobody knows its price.',
    advice: 'Add a source to rates.sources that has the coin, or see why the present ones do not answer.',
  },
  'notifier-unusable': {
    means: 'Messages to persons are kept and tried again, and nobody reads them meanwhile.',
    advice: 'Correct the options of the notifier’s plugin: server, user, password, or the address of the chat.',
  },
} as const satisfies Readonly<Record<string, Explanation>>;

export type FindingName = keyof typeof FINDINGS;

/** Something that was found wrong, with its name. */
export class Problem extends Error {
  readonly finding: FindingName;

  constructor(finding: FindingName, message: string, options?: ErrorOptions) {
    super(message, options);
    this.finding = finding;
  }
}
